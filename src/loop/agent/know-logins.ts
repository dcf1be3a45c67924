import { isAbsolute, join } from 'node:path';
import type { AgentAdapter } from '../../adapters/agents/port.ts';
import { loginStore } from '../../adapters/isolation/home/homes.ts';
import { readInside } from '../../platform/files/files-inside.ts';
import { knowSecrets } from '../../platform/secrets.ts';
import type { RunContext } from '../context.ts';

/** Files below an agent's configuration folder in which clients keep their logins. */
const LOGIN_FILES = [
  '.credentials.json',
  'credentials.json',
  'auth.json',
  'oauth_creds.json',
  'hosts.json',
  'apps.json',
];
/** Larger is no login. */
const MOST_BYTES = 256 * 1024;
/** A login has a few; an agent that writes there itself must not make ordinary text, or all of it, a secret. */
const MOST_VALUES = 20;
/** A setting that holds a secret, and its value as tokens are made; shorter ones are words. */
const VALUE = /"[\w.-]*(?:token|secret|key|password)[\w.-]*"\s*:\s*"([\w.~+/=:-]{20,4096})"/gi;

/**
 * Makes the tokens of the agents' logins known secrets: of those on this machine, and of those made inside. Asked again
 * at each start of an agent and at its end, as clients renew them. What cannot be read is nobody's to print either.
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

/** Where the logins of an agent are: the folder, and the file below it. */
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
