import type { Config } from '../../contracts/index.ts';
import type { Provider } from '../isolation/index.ts';
import { ORDINARY, PROXIES } from './ordinary-variables.ts';
import type { AgentAdapter, AgentTask, Env } from './port.ts';

/** Set when the caller is itself a git hook; they would point the agent at another index or work tree. */
const FOREIGN_GIT = new Set([
  ...['GIT_DIR', 'GIT_WORK_TREE', 'GIT_INDEX_FILE', 'GIT_COMMON_DIR', 'GIT_OBJECT_DIRECTORY', 'GIT_PREFIX'],
]);

/** Every shell sets these itself, so the loop's values are not needed. */
const SHELL_OWN = new Set(['_', 'PWD', 'OLDPWD', 'SHLVL']);

/** Names of secrets: `MISE_GITHUB_TOKEN`, `XDG_ACTIVATION_TOKEN`, `npm_config__authToken`, `GEM_HOST_API_KEY`. */
const SECRET_NAME =
  /TOKEN|SECRET|PASSW|PASSPHRASE|CREDENTIAL|KEYS?(?:$|_|\d)|(?:^|_)(?:PASS|AUTH|PAT|CREDS?|COOKIE)(?:$|_)/i;

/** An address that contains a password: `https://user:password@registry.example`. */
const PASSWORD_IN_ADDRESS = /:\/\/[^\s/@:]*:[^\s/@]*@/;

type Asked = Pick<Config, 'env' | 'agents'>;
type Named = readonly Pick<AgentAdapter, 'name' | 'environment'>[];

type ProgramName = keyof Config['agents'];

/** The settings of an agent's program; undefined for agents without one (`command`, `scripted`). */
export function settingsOf(
  { agents }: Pick<Config, 'agents'>,
  name: string,
): Config['agents'][ProgramName] | undefined {
  return Object.hasOwn(agents, name) ? agents[name as ProgramName] : undefined;
}

/** The user's environment with the agent's own variables, as the agent and what asks on its behalf see it. */
export function envOf(env: Env, config: Pick<Config, 'agents'>, name: string): Env {
  return { ...env, ...settingsOf(config, name)?.env };
}

/**
 * The providers of an agent whose key is in the environment and can stay outside of an isolation.
 * @param env as the agent sees it
 */
export async function lendersOf(
  { name, inside }: Pick<AgentAdapter, 'name' | 'inside'>,
  env: Env,
  config: Pick<Config, 'agents'>,
): Promise<readonly Provider[]> {
  const found = await inside.provider?.(env, settingsOf(config, name)?.args ?? []);
  return [found ?? []].flat().filter(({ secrets }) => Object.keys(secrets).some((secret) => env[secret]));
}

/**
 * The variables of the user's environment that the agents and checks of a run get: the ordinary ones, those that
 * `agents` need for their login, and those that `env.pass` of the configuration names (`NAME`, or `PREFIX*` for any
 * ending). A variable that looks like a secret passes only by name, the loop's own and those of an outer git never.
 * Decided only here, so that the agent's own test run and the loop's agree. Agents also get their own `env` setting.
 */
export function passedEnvironment(env: Env, config: Asked, agents: Named): Record<string, string> {
  const isNamed = matcher([...agents.flatMap(({ environment }) => environment), ...config.env.pass]);
  const passed: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (value === undefined || isOurs(name) || FOREIGN_GIT.has(name)) continue;
    if (isNamed(name) || isOrdinary(name, value)) passed[name] = value;
  }
  return Object.assign(passed, ...agents.map(({ name }) => settingsOf(config, name)?.env));
}

/**
 * Names (sorted, never values) of the variables that {@link passedEnvironment} leaves out, for a user who looks for the
 * cause of a failing check. Excludes the loop's own variables and those that every shell sets itself.
 */
export function droppedNames(env: Env, config: Asked, agents: Named): readonly string[] {
  const passed = passedEnvironment(env, config, agents);
  return Object.keys(env)
    .filter((name) => env[name] !== undefined && !Object.hasOwn(passed, name) && !SHELL_OWN.has(name) && !isOurs(name))
    .sort();
}

const isProxy = matcher(PROXIES);
const isInTable = matcher(ORDINARY);

function isOrdinary(name: string, value: string): boolean {
  if (isProxy(name)) return true;
  return isInTable(name) && !FREE_TEXT.has(name) && !SECRET_NAME.test(name) && !PASSWORD_IN_ADDRESS.test(value);
}

/** The loop's settings, and the variables it sets for the processes it starts. */
function isOurs(name: string): boolean {
  return name.startsWith('RALPH_');
}

function matcher(patterns: readonly string[]): (name: string) => boolean {
  const names = new Set(patterns.filter((pattern) => !pattern.endsWith('*')));
  const prefixes = patterns.filter((pattern) => pattern.endsWith('*')).map((pattern) => pattern.slice(0, -1));
  return (name) => names.has(name) || prefixes.some((prefix) => name.startsWith(prefix));
}

/** Variables that a wildcard of the table matches although they hold no location: free text known to hold tokens. */
const FREE_TEXT: ReadonlySet<string> = new Set(['NIX_CONFIG']);

/** Hosts never to be reached through a proxy: the control server, local model servers, the user's own services. */
const LOOPBACK = ['127.0.0.1', 'localhost'];

/** Git settings for agents, set through the environment because it overrides every config file of the repository. */
const GIT_SETTINGS: readonly (readonly [key: string, value: string])[] = [
  // Rewrites every push address to one that no transport knows. Fetching is untouched.
  ['url.ralph-no-push:.pushInsteadOf', ''],
  // A pinentry would wait all night for a passphrase.
  ['commit.gpgsign', 'false'],
  ['tag.gpgsign', 'false'],
];

/**
 * The environment that every agent gets with any adapter: `base` (what `passedEnvironment` lets through; it carries the
 * user's GIT_AUTHOR_* and GIT_COMMITTER_* when they are known), who and where the agent is in the run (RALPH_*), an
 * identity to commit with, and a git that cannot push, prompt or sign.
 */
export function agentEnvironment(base: Readonly<Record<string, string>>, task: AgentTask): Record<string, string> {
  return {
    ...base,
    ...noProxy(base),
    ...gitSettings(base),
    ...identity(base),
    GIT_TERMINAL_PROMPT: '0',
    RALPH_RUN_ID: task.run,
    RALPH_ITERATION: String(task.iteration),
    RALPH_MODE: task.mode,
    RALPH_STORY_ID: task.storyId,
    RALPH_ATTEMPT: String(task.attempt),
    RALPH_REVIEW_COUNT: String(task.reviewCount),
    RALPH_TRY: String(task.try),
    ...(task.control ? { RALPH_CONTROL_URL: task.control.url, RALPH_CONTROL_TOKEN: task.control.token } : {}),
  };
}

/** Both spellings: programs disagree about which one they read. */
function noProxy(base: Readonly<Record<string, string>>): Record<string, string> {
  const existing = (base['NO_PROXY'] ?? base['no_proxy'] ?? '')
    .split(',')
    .map((host) => host.trim())
    .filter(Boolean);
  const value = [...new Set([...existing, ...LOOPBACK])].join(',');
  return { NO_PROXY: value, no_proxy: value };
}

/** Appends to settings that the environment already carries (`GIT_CONFIG_COUNT` and its numbered pairs). */
function gitSettings(base: Readonly<Record<string, string>>): Record<string, string> {
  const first = Number.parseInt(base['GIT_CONFIG_COUNT'] ?? '0', 10) || 0;
  const env: Record<string, string> = { GIT_CONFIG_COUNT: String(first + GIT_SETTINGS.length) };
  GIT_SETTINGS.forEach(([key, value], offset) => {
    env[`GIT_CONFIG_KEY_${first + offset}`] = key;
    env[`GIT_CONFIG_VALUE_${first + offset}`] = value;
  });
  return env;
}

function identity(base: Readonly<Record<string, string>>): Record<string, string> {
  const name = base['GIT_AUTHOR_NAME'] ?? 'Ralph Loop';
  const email = base['GIT_AUTHOR_EMAIL'] ?? 'ralph@localhost';
  return {
    GIT_AUTHOR_NAME: name,
    GIT_AUTHOR_EMAIL: email,
    GIT_COMMITTER_NAME: base['GIT_COMMITTER_NAME'] ?? name,
    GIT_COMMITTER_EMAIL: base['GIT_COMMITTER_EMAIL'] ?? email,
  };
}
