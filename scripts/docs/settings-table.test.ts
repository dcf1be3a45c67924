import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { settings } from '../../src/adapters/workspace/config/settings.ts';
import { loadConfig } from '../../src/adapters/workspace/index.ts';
import { aPrompt } from '../../src/rules/prompt/prompt.fixture.ts';
import { promptVariables } from '../../src/rules/prompt/render.ts';
import { variableOf, withSettings } from './settings-table.ts';

const page = readFileSync(new URL('../../docs/configuration.md', import.meta.url), 'utf8');

test('the settings of docs/configuration.md are current (else: npx tsx scripts/docs-config.ts)', async () => {
  expect(await withSettings(page)).toBe(page);
});

test('the variable of every setting is one that the program reads', async () => {
  const env = Object.fromEntries(settings().map(({ path }) => [variableOf(path), '']));
  const { warnings } = await loadConfig({ root: '/nowhere', env, flags: {}, onUntrusted: 'given' });
  expect(warnings).toEqual([]);
});

test('every placeholder of prompts is explained, and no other', () => {
  const explained = [...page.matchAll(/^\| `\{\{([A-Z_]+)\}\}` \|/gm)].map((match) => match[1]);
  expect(explained).toEqual(Object.keys(promptVariables(aPrompt())));
});

test('a page without a place for the table is refused', async () => {
  await expect(withSettings('# Configuration')).rejects.toThrow('the page has no place for the table');
});
