import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { commands } from '../../src/commands/table.ts';
import { commandsPage } from './commands-page.ts';

test('docs/commands.md is current (else: npx tsx scripts/docs-commands.ts)', () => {
  expect(readFileSync(new URL('../../docs/commands.md', import.meta.url), 'utf8')).toBe(commandsPage());
});

test('every command has a section', () => {
  for (const spec of commands) expect(commandsPage()).toContain(`\n## ralph ${spec.name}\n`);
});
