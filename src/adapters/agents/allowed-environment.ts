import type { Config } from '../../contracts/config.ts';
import { FREE_TEXT, ORDINARY, PROXIES } from './ordinary-variables.ts';
import type { AgentAdapter } from './port.ts';

type Env = Readonly<Record<string, string | undefined>>;

const TABLE = Object.values(ORDINARY).flat();

/** A caller that is itself a git hook has these set; they would point the agent at another index or work tree. */
const FOREIGN_GIT = new Set([
  'GIT_DIR',
  'GIT_WORK_TREE',
  'GIT_INDEX_FILE',
  'GIT_COMMON_DIR',
  'GIT_OBJECT_DIRECTORY',
  'GIT_PREFIX',
]);

/** Every shell sets them anew; nobody misses the loop's. */
const SHELL_OWN = new Set(['_', 'PWD', 'OLDPWD', 'SHLVL']);

/** What a name calls a secret: `MISE_GITHUB_TOKEN`, `XDG_ACTIVATION_TOKEN`, `npm_config__authToken`, `GEM_HOST_API_KEY`. */
const SECRET_NAME =
  /TOKEN|SECRET|PASSW|PASSPHRASE|CREDENTIAL|KEYS?(?:$|_|\d)|(?:^|_)(?:PASS|AUTH|PAT|CREDS?|COOKIE)(?:$|_)/i;

/** An address that carries a password: `https://user:password@registry.example`. */
const PASSWORD_IN_ADDRESS = /:\/\/[^\s/@:]*:[^\s/@]*@/;

/**
 * The variables of a person's environment that the agents of a run and its checks get: the ordinary ones, those that
 * `agents` need for their login, and those that `env.pass` of the configuration names. The one place that says so:
 * the agent's own run of the tests and the loop's shall agree.
 */
export function passedEnvironment(
  env: Env,
  config: Pick<Config, 'env'>,
  agents: readonly Pick<AgentAdapter, 'environment'>[],
): Record<string, string> {
  return allowedEnvironment(env, patternsOf(config, agents));
}

/**
 * Names (sorted, never values) of the variables that {@link passedEnvironment} leaves out, for a person who looks for
 * the reason of a failing check. Without the loop's own and those that every shell sets anew.
 */
export function droppedNames(
  env: Env,
  config: Pick<Config, 'env'>,
  agents: readonly Pick<AgentAdapter, 'environment'>[],
): readonly string[] {
  const passed = passedEnvironment(env, config, agents);
  return Object.keys(env)
    .filter((name) => env[name] !== undefined && !Object.hasOwn(passed, name) && !SHELL_OWN.has(name) && !isOurs(name))
    .sort();
}

/**
 * The ordinary variables of `env` and those that `patterns` name (`NAME`, or `PREFIX*` for any ending). What looks
 * like a secret passes only by a pattern, never as an ordinary variable; the loop's own variables and those of an
 * outer git never pass.
 */
export function allowedEnvironment(env: Env, patterns: readonly string[]): Record<string, string> {
  const isNamed = matcher(patterns);
  const allowed: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (value === undefined || isOurs(name) || FOREIGN_GIT.has(name)) continue;
    if (isNamed(name) || isOrdinary(name, value)) allowed[name] = value;
  }
  return allowed;
}

function patternsOf(config: Pick<Config, 'env'>, agents: readonly Pick<AgentAdapter, 'environment'>[]): string[] {
  return [...agents.flatMap(({ environment }) => environment), ...config.env.pass];
}

const isProxy = matcher(PROXIES);
const isInTable = matcher(TABLE);

function isOrdinary(name: string, value: string): boolean {
  if (isProxy(name)) return true;
  return isInTable(name) && !FREE_TEXT.has(name) && !SECRET_NAME.test(name) && !PASSWORD_IN_ADDRESS.test(value);
}

/** The loop's settings, and what it tells the processes it starts. */
function isOurs(name: string): boolean {
  return name.startsWith('RALPH_');
}

function matcher(patterns: readonly string[]): (name: string) => boolean {
  const names = new Set(patterns.filter((pattern) => !pattern.endsWith('*')));
  const prefixes = patterns.filter((pattern) => pattern.endsWith('*')).map((pattern) => pattern.slice(0, -1));
  return (name) => names.has(name) || prefixes.some((prefix) => name.startsWith(prefix));
}
