import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { hookGroups } from './entries.ts';

const read = (path: string) => JSON.parse(readFileSync(new URL(`../../../../${path}`, import.meta.url), 'utf8'));

test('the plugin has the entries of the table, with a guard that cannot be left out', () => {
  // The client fills in the folder; written so that it is no template of ours.
  const folder = ['$', '{CLAUDE_PLUGIN_ROOT}'].join('');
  expect(read('plugin/hooks/hooks.json').hooks).toEqual(hookGroups(`node "${folder}/hook.cjs"`, 'strict'));
});

test('the plugin is of the version of the package', () => {
  const { version } = read('package.json');
  expect(read('plugin/.claude-plugin/plugin.json').version).toBe(version);
  expect(read('.claude-plugin/marketplace.json').plugins[0].version).toBe(version);
});
