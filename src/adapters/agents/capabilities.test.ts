import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { enforcement, testedWith } from './capabilities.ts';
import type { AgentAdapter } from './port.ts';
import { AGENT_NAMES, agentByName } from './registry.ts';

const page = readFileSync(new URL('../../../docs/agents.md', import.meta.url), 'utf8');

/** The agent's row in the table of docs/agents.md. */
function rowOf(agent: AgentAdapter): string {
  const { tools, tokens, cost, budget, limits } = agent.capabilities;
  const marks = [tools, tokens, cost, budget, limits].map((has) => (has ? 'yes' : '–'));
  return `| ${[`\`${agent.name}\``, enforcement(agent), ...marks, testedWith(agent.name)].join(' | ')} |`;
}

test.each(AGENT_NAMES)('docs/agents.md says of %s what its adapter says, and how it was tested', async (name) => {
  expect(testedWith(name)).not.toBe('nothing');
  expect(page).toContain(rowOf(await agentByName(name)));
});

test('the rules hold by hooks where there are any, else only when the work is settled', () => {
  const capabilities = { hooks: true, tools: false, cost: false, tokens: false, limits: false, budget: false };
  expect(enforcement({ capabilities })).toBe('hooks');
  expect(enforcement({ capabilities: { ...capabilities, hooks: false } })).toBe('settle');
});
