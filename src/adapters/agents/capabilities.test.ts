import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type AgentFacts, agentFacts, enforcement } from './capabilities.ts';
import { AGENT_NAMES } from './registry.ts';

const page = readFileSync(new URL('../../../docs/agents.md', import.meta.url), 'utf8');

/** The agent's row in the table of docs/agents.md. */
function rowOf({ name, capabilities, enforcement, tested }: AgentFacts): string {
  const { tools, tokens, cost, budget, limits } = capabilities;
  const marks = [tools, tokens, cost, budget, limits].map((has) => (has ? 'yes' : '–'));
  return `| ${[`\`${name}\``, enforcement, ...marks, tested].join(' | ')} |`;
}

describe('agentFacts', () => {
  it('has a row for every agent, and says how each was tested', async () => {
    const facts = await agentFacts();
    expect(facts.map(({ name }) => name)).toEqual(AGENT_NAMES);
    expect(facts.filter(({ tested }) => tested === 'not at all')).toEqual([]);
  });

  it('is what docs/agents.md says', async () => {
    for (const facts of await agentFacts()) expect(page).toContain(rowOf(facts));
  });
});

describe('enforcement', () => {
  it('is by hooks where there are any, else only when the work is settled', async () => {
    const by = Object.fromEntries((await agentFacts()).map(({ name, enforcement: where }) => [name, where]));
    expect(by).toMatchObject({ claude: 'hooks', gemini: 'settle', command: 'settle' });
    const capabilities = { hooks: true, tools: false, cost: false, tokens: false, limits: false, budget: false };
    expect(enforcement({ capabilities })).toBe('hooks');
  });
});
