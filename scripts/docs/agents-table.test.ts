import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { AGENT_NAMES } from '../../src/adapters/agents/index.ts';
import { AGENT_PROGRAMS } from '../../src/contracts/index.ts';
import { withAgents } from './agents-table.ts';

const page = readFileSync(new URL('../../docs/agents.md', import.meta.url), 'utf8');

test('the tables of docs/agents.md are current (else: npx tsx scripts/docs-agents.ts)', async () => {
  expect(await withAgents(page)).toBe(page);
});

test('every agent has settings, an adapter and a row', () => {
  expect(AGENT_NAMES).toEqual([...Object.keys(AGENT_PROGRAMS), 'command', 'scripted']);
  for (const name of AGENT_NAMES) expect(page).toContain(`\n| \`${name}\` | `);
});

test('a page without a place for the agents is refused', async () => {
  await expect(withAgents('# Agents')).rejects.toThrow('the page has no place for the agents');
});
