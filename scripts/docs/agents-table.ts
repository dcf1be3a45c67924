import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  AGENT_NAMES,
  type AgentAdapter,
  agentByName,
  enforcement,
  settingsOf,
  testedWith,
} from '../../src/adapters/agents/index.ts';
import { testAgents, testConfig, testTask } from '../../test/support/agent-task.ts';

const BEGIN = '<!-- agents: written by scripts/docs-agents.ts -->';
const END = '<!-- /agents -->';

/** The page with the tables of agents made from their declarations; the rest is written by hand. */
export async function withAgents(page: string): Promise<string> {
  const [begin, end] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (begin < 0 || end < begin) throw new Error(`the page has no place for the agents: ${BEGIN} … ${END}`);
  const agents = await Promise.all(AGENT_NAMES.map(agentByName));
  const can = ['agent', 'output', 'rules hold', 'tools', 'tokens', 'cost', 'budget', 'limits', 'tested with'];
  const login = ['agent', 'model', 'effort', 'MCP servers', 'login', 'key stays outside', 'variables'];
  const tables = [
    table(can, agents.map(rowOfAbilities)),
    table(login, await Promise.all(agents.filter(({ name }) => name !== 'scripted').map(rowOfSettings))),
  ];
  return `${page.slice(0, begin + BEGIN.length)}\n\n${tables.join('\n\n')}\n\n${page.slice(end)}`;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

const mark = (has: boolean | undefined) => (has ? 'yes' : '–');
const code = (names: readonly string[]) => (names.length === 0 ? '–' : names.map((name) => `\`${name}\``).join(', '));

function rowOfAbilities(agent: AgentAdapter): readonly string[] {
  const { tools, tokens, cost, budget, limits, plain } = agent.capabilities;
  const marks = [tools, tokens, cost, budget, limits].map(mark);
  return [code([agent.name]), plain ? 'text' : 'events', enforcement(agent), ...marks, testedWith(agent.name)];
}

async function rowOfSettings(agent: AgentAdapter): Promise<readonly string[]> {
  const { name, environment, login, loginCheck } = agent;
  const seen = login ? 'seen' : '–';
  const [model, effort] = await waysToSet(agent);
  const servers = mark('mcp' in (settingsOf(testConfig(), name) ?? {}));
  return [
    code([name]),
    model,
    effort,
    servers,
    loginCheck ? 'asked' : seen,
    code(await lent(agent)),
    code(environment),
  ];
}

/** What stands on the command line for a model and for an effort, or the variable that holds it. */
async function waysToSet(agent: AgentAdapter): Promise<readonly [string, string]> {
  const chosen = { command: { run: 'agent' } };
  const hasEffort = 'effort' in (settingsOf(testConfig(), agent.name) ?? {});
  const agents = testAgents(hasEffort ? { [agent.name]: { effort: 'EFFORT' } } : {});
  const tempDir = await mkdtemp(join(tmpdir(), 'ralph-docs-'));
  try {
    const config = testConfig({ ...chosen, agents });
    const { args, env } = await agent.command(
      testTask({ cwd: tempDir, tempDir, config, model: 'MODEL', isolation: 'bwrap' }),
    );
    const wayOf = (value: string) => {
      const at = args.findIndex((arg) => arg.includes(value));
      const variable = Object.keys(env).find((one) => env[one] === value);
      if (at < 0) return variable === undefined ? '–' : code([variable]);
      return code([args[at] === value ? `${args[at - 1]}` : `${args[at - 1]} ${args[at]?.replace(/"?EFFORT"?/, '…')}`]);
    };
    return [wayOf('MODEL'), wayOf('EFFORT')];
  } finally {
    await rm(tempDir, { recursive: true, force: true });
  }
}

/** The variables whose value the gateway adds outside (10-trust §6). */
async function lent({ inside, environment, login }: AgentAdapter): Promise<readonly string[]> {
  const named = [...(login?.variables ?? []), ...environment.filter((name) => !name.endsWith('*'))];
  const all = [{}, ...named.map((name) => ({ [name]: 'x' }))];
  const providers = await Promise.all(all.map((env) => inside.provider?.(env, [])));
  return [
    ...new Set(providers.flatMap((found) => [found ?? []].flat()).flatMap(({ secrets }) => Object.keys(secrets))),
  ];
}
