import { isAbsolute, join } from 'node:path';
import type { AgentAdapter } from '../../adapters/agents/index.ts';
import { loginStore } from '../../adapters/isolation/index.ts';
import { knowSecrets, readInside } from '../../platform/index.ts';
import type { RunContext } from '../context.ts';

/** Files below an agent's configuration folder where clients keep their logins. */
const LOGIN_FILES = [
  '.credentials.json',
  'credentials.json',
  'auth.json',
  'oauth_creds.json',
  'hosts.json',
  'apps.json',
];
/** A larger file is not a login. */
const MOST_BYTES = 256 * 1024;
/**
 * A login has only a few; an agent that writes to such a file must not turn ordinary text, or all of it, into secrets.
 */
const MOST_VALUES = 20;
/** A setting that holds a secret, and its value in the form of a token; shorter values are words. */
const VALUE = /"[\w.-]*(?:token|secret|key|password)[\w.-]*"\s*:\s*"([\w.~+/=:-]{20,4096})"/gi;

/**
 * Registers the tokens of the agents' logins as secrets: those on this machine, and those created inside. Called at
 * each start and end of an agent, because clients renew them. A file that cannot be read is skipped: no agent can print
 * it either.
 */
export async function knowLogins({
  agents,
  env,
  isolation,
}: Pick<RunContext, 'agents' | 'env' | 'isolation'>): Promise<void> {
  for (const [folder, name] of agents.flatMap((agent) => filesOf(agent, env, isolation.name))) {
    const found = await readInside(folder, name, MOST_BYTES).catch(() => null);
    const text = found?.bytes?.toString('utf8') ?? '';
    knowSecrets(
      [...text.matchAll(VALUE)].slice(0, MOST_VALUES).map(([, value = '']) => value),
      "a token of an agent's login",
    );
  }
}

/** Where an agent's logins are: the folder, and the file below it. */
function filesOf(
  agent: AgentAdapter,
  env: RunContext['env'],
  backend: RunContext['isolation']['name'],
): readonly (readonly [folder: string, file: string])[] {
  if (backend !== 'none') return agent.inside.logins.map(({ path }) => [loginStore(env), path] as const);
  return foldersOf(agent, env).flatMap((folder) => LOGIN_FILES.map((name) => [folder, name] as const));
}

function foldersOf({ inside: { config } }: AgentAdapter, env: RunContext['env']): readonly string[] {
  if (config === null) return [];
  const named = config.variable === null ? undefined : env[config.variable];
  if (named !== undefined && isAbsolute(named)) return [config.variableNamesHome ? join(named, config.folder) : named];
  const home = env['HOME'];
  return home === undefined ? [] : [join(home, config.folder)];
}
