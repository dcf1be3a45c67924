import {
  type AgentAvailability,
  type AgentCapabilities,
  agentByName,
  type Enforcement,
  enforcement,
  testedAfter,
  testedWith,
} from '../../adapters/agents/index.ts';
import type { IsolationName } from '../../adapters/isolation/index.ts';
import type { Config } from '../../contracts/index.ts';
import { exists, findUnexecutable } from '../../platform/index.ts';
import { shellWord } from '../../rules/text/index.ts';
import { type Env, type Finding, findingOf, look } from './finding.ts';

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
    fix: [`update ${name}: its older versions may take other options or print something else`],
  };
}

interface Login {
  /** Each holds a login, or says where to go without one. */
  readonly variables: readonly string[];
  /** Below the home folder; each holds a login. */
  readonly files: readonly string[];
  readonly command: string;
}

/** Where agents keep their logins. An agent not listed may have one that cannot be seen from here. */
const LOGINS: Readonly<Record<string, Login>> = {
  claude: {
    variables: [
      'ANTHROPIC_API_KEY',
      'ANTHROPIC_AUTH_TOKEN',
      'ANTHROPIC_BASE_URL',
      'CLAUDE_CODE_OAUTH_TOKEN',
      'CLAUDE_CODE_USE_BEDROCK',
      'CLAUDE_CODE_USE_VERTEX',
      'CLAUDE_CODE_USE_FOUNDRY',
    ],
    files: ['.claude/.credentials.json'],
    command: 'claude',
  },
  codex: { variables: ['OPENAI_API_KEY', 'CODEX_API_KEY'], files: ['.codex/auth.json'], command: 'codex login' },
  gemini: {
    variables: ['GEMINI_API_KEY', 'GOOGLE_API_KEY', 'GOOGLE_GENAI_USE_VERTEXAI', 'GOOGLE_APPLICATION_CREDENTIALS'],
    files: ['.gemini/oauth_creds.json'],
    command: 'gemini',
  },
};

/**
 * Does the agent have a login where a run would start it? Looks at names only: no file is opened, no value is shown.
 * @param home the home folder that it would see
 * @returns null where that cannot be determined from here
 */
export async function examineLogin(
  name: string,
  { env, home, isolation }: { readonly env: Env; readonly home: string; readonly isolation: IsolationName },
): Promise<Finding | null> {
  const login = Object.hasOwn(LOGINS, name) ? LOGINS[name] : undefined;
  // macOS keeps the login of a person's own session in the keychain.
  if (login === undefined || (isolation === 'none' && process.platform === 'darwin')) return null;
  const title = `login ${name}`;
  const variable = login.variables.find((one) => env[one]);
  if (variable !== undefined) return findingOf(title, 'ok', variable, [], { concerns: 'agent' });
  const folder =
    name === 'claude' && isolation === 'none' && env['CLAUDE_CONFIG_DIR'] ? env['CLAUDE_CONFIG_DIR'] : null;
  for (const file of login.files) {
    const path = folder === null ? `${home}/${file}` : `${folder}/${file.split('/').slice(1).join('/')}`;
    if (await exists(path)) return findingOf(title, 'ok', path, [], { concerns: 'agent' });
  }
  const inside = isolation !== 'none';
  const detail = inside ? `none seen inside ${isolation}, where yours is not available` : 'none seen';
  const fix = [inside ? `ralph sandbox shell -- ${login.command}` : login.command, `export ${login.variables[0]}=…`];
  return findingOf(title, 'warning', detail, fix, { concerns: 'agent' });
}
