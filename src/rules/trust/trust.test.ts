import { expect, test } from 'vitest';
import { weakening, without } from './trust.ts';

test('what starts an agent, steers it or adds to its environment needs trust; its model and effort do not', () => {
  const claude = {
    ...{
      command: '/opt/claude',
      args: ['--x'],
      env: { ANTHROPIC_BASE_URL: 'http://x' },
      model: 'opus',
      effort: 'high',
    },
    ...{ allowedTools: ['Bash'], bashSandbox: false, mcp: ['playwright'], skills: true },
  };
  const codex = { command: ['nice', 'codex'], args: [], env: {}, model: 'gpt-5' };
  const harmless = {
    command: 'claude',
    args: [],
    env: {},
    allowedTools: null,
    bashSandbox: true,
    mcp: [],
    skills: false,
  };
  const values = { agents: { claude, codex }, maxCost: 5 };
  const asked = Object.keys(weakening(values));
  expect(asked).toEqual([
    ...['agents.claude.command', 'agents.claude.args', 'agents.claude.env', 'agents.codex.command'],
    ...['agents.claude.mcp', 'agents.claude.skills', 'agents.claude.allowedTools', 'agents.claude.bashSandbox'],
  ]);
  expect(without(values, asked)).toEqual({
    agents: { claude: { model: 'opus', effort: 'high' }, codex: { args: [], env: {}, model: 'gpt-5' } },
    maxCost: 5,
  });
  expect(weakening({ agents: { claude: harmless, kiro: { command: 'kiro-cli' } } })).toEqual({});
});
