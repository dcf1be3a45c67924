import {
  type AgentAvailability,
  type AgentCapabilities,
  agentByName,
  type Enforcement,
  enforcement,
  findLogin,
  lendersOf,
  passedEnvironment,
  serversFor,
  testedAfter,
  testedWith,
  toolsAskedFor,
} from '../../adapters/agents/index.ts';
import type { IsolationName } from '../../adapters/isolation/index.ts';
import { findServers, readRefusedLogin } from '../../adapters/workspace/index.ts';
import type { Config, Env } from '../../contracts/index.ts';
import { findUnexecutable } from '../../platform/index.ts';
import { moment, oneLine, shellWord } from '../../rules/text/index.ts';
import { type Finding, findingOf, look } from './finding.ts';

export interface AgentRow {
  readonly name: string;
  readonly ok: boolean;
  readonly version: string | null;
  /** What was found, or why it cannot start. */
  readonly detail: string;
  readonly can: AgentCapabilities;
  readonly rulesHold: Enforcement;
  readonly tested: string;
  readonly environment: readonly string[];
}

/** The result for one agent; without a row where no agent has that name. */
interface Examined {
  readonly row: AgentRow | null;
  readonly finding: Finding;
}

/**
 * Asks the agent's program for its version.
 * @param first the others are fallbacks: a run can start without them
 * @param isolation in which a run would start it
 * @param path where programs are looked for
 */
export async function examineAgent(
  name: string,
  config: Config,
  first: boolean,
  isolation: IsolationName,
  path: string | undefined,
): Promise<Examined> {
  const title = `agent ${name}`;
  // An unknown name is a typing error, for `ralph run` too.
  const [agent, unknown] = await look(title, () => agentByName(name), String);
  if (!agent) return { row: null, finding: unknown };
  const [found, looked] = await look(
    title,
    () => agent.detect(config, isolation),
    ({ version, detail }) => version ?? detail,
    'agent',
  );
  const missing = first ? 'failed' : 'warning';
  const finding: Finding =
    found && !found.ok
      ? { ...looked, state: missing, detail: found.detail, fix: waysTo(found, agent.program(config), path) }
      : found
        ? { ...looked, ...oldVersion(name, found.version) }
        : { ...looked, state: missing };
  const { capabilities, environment } = agent;
  const version = found?.version ?? null;
  return {
    row: {
      name,
      ok: found?.ok === true,
      version,
      detail: finding.detail,
      can: capabilities,
      rulesHold: enforcement(agent),
      tested: testedWith(name),
      environment,
    },
    finding,
  };
}

/** A program that exists but may not be executed need not be installed. */
function waysTo(
  { detail, fix }: AgentAvailability,
  program: string | null,
  path: string | undefined,
): readonly string[] {
  const closed = detail.includes('EACCES') && program !== null ? findUnexecutable(program, path) : null;
  return closed === null ? [fix] : [`chmod +x ${shellWord(closed)}`];
}

/** Clients change what they print: an adapter may not understand one older than the version it was tested with. */
function oldVersion(name: string, version: string | null): Partial<Finding> {
  const tested = version === null ? null : testedAfter(name, version);
  if (tested === null) return {};
  return {
    state: 'warning',
    detail: `${version} is older than ${tested}, which ralph was tested with`,
    fix: [`update ${name}: older versions may take different options or print different output`],
  };
}

/**
 * Does the agent have a login where a run would start it? Looks at names, and at what the
 * provider answered last: no file is opened, no value is shown.
 * @param home the home folder that it would see
 * @returns null where that cannot be determined from here
 */
export async function examineLogin(
  name: string,
  { env, config, home, isolation }: LoginPlace,
): Promise<Finding | null> {
  const title = `login ${name}`;
  const login = await findLogin(name, { env, home, isolation });
  if (login === null) {
    const keys = await keysOf(name, { env, config, isolation });
    return keys.length === 0 ? null : findingOf(title, 'ok', keys.join(', '), [], { concerns: 'agent' });
  }
  const { credential, fix } = login;
  const refused = await readRefusedLogin(env, name, isolation);
  if (refused !== null && (await login.mark(refused.salt)) === refused.mark) {
    const detail = `${credential ?? 'no login'}: refused on ${moment(refused.at)}, "${oneLine(refused.answer)}"`;
    return findingOf(title, 'failed', detail, fix, { concerns: 'agent' });
  }
  if (credential !== null) {
    const told = (await keysOf(name, { env, config, isolation })).find((text) => text.startsWith(`${credential} `));
    return findingOf(title, 'ok', told ?? credential, [], { concerns: 'agent' });
  }
  const detail =
    isolation === 'none' ? 'none seen' : `none found inside ${isolation}, where your own login is not available`;
  return findingOf(title, 'warning', detail, fix, { concerns: 'agent' });
}

/**
 * The MCP servers that an agent gets, and whether it gets the project's skills. Starts and asks none of them.
 * @returns null where its settings ask for nothing
 */
export async function examineTools(name: string, config: Config, root: string, env: Env): Promise<Finding | null> {
  const { mcp, skills } = toolsAskedFor(config, name);
  if (mcp.length === 0 && !skills) return null;
  const [, finding] = await look(
    `tools ${name}`,
    async () => {
      const found = await findServers(root, env);
      const servers = serversFor(name, mcp, found, env).map((server) => {
        const what = server.type === 'stdio' ? [server.command, ...server.args].join(' ') : server.url;
        return `${server.name} (${found[server.name]?.from}: ${what})`;
      });
      return [...servers, ...(skills ? ['skills and sub-agents of the project'] : [])].join(', ');
    },
    String,
  );
  return finding;
}

interface LoginPlace {
  readonly env: Env;
  readonly config: Pick<Config, 'agents' | 'env'>;
  readonly home: string;
  readonly isolation: IsolationName;
}

/** The keys that an agent gets because it is that agent, and whether the gateway keeps each outside (10-trust §6). */
async function keysOf(name: string, { env, config, isolation }: Omit<LoginPlace, 'home'>): Promise<readonly string[]> {
  // In a virtual machine no variable holds a key.
  if (isolation === 'none' || isolation === 'sbx') return [];
  const agent = await agentByName(name);
  const lenders = LENDING.includes(isolation) ? await lendersOf(agent, env, config) : [];
  const isOutside = (key: string) => lenders.some(({ secrets }) => Object.hasOwn(secrets, key));
  const without = passedEnvironment(env, config, []);
  return Object.keys(passedEnvironment(env, config, [agent]))
    .filter((key) => /_(?:KEY|TOKEN)$/.test(key) && !Object.hasOwn(without, key))
    .map(
      (key) =>
        `${key} (${isOutside(key) ? 'added outside; the agent cannot read it' : 'goes inside: the agent can read it'})`,
    );
}

/** Backends with a gateway that adds keys. */
const LENDING: readonly IsolationName[] = [
  'bwrap',
  'container',
  ...(process.platform === 'linux' ? ['srt' as const] : []),
];
