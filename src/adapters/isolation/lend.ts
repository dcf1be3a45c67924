import { randomBytes } from 'node:crypto';
import type { Env, Lent, Provider } from './port.ts';
import { CREDENTIALS_PORT } from './view/environment.ts';

/** Bytes of randomness in a stand-in: an agent that guesses another one's could use its key. */
const STAND_IN_BYTES = 24;

/**
 * What a client gets in place of its credentials: a made-up value for each, and the address of the server that replaces
 * them. @returns null when no variable holds a credential, or the provider's address is not one
 */
export function lend(agent: string, provider: Provider, env: Env): Lent | null {
  const { headers, secrets } = provider;
  const base = env[provider.address] || provider.base;
  const held = Object.entries(secrets).filter(([name]) => env[name]);
  if (held.length === 0 || !/^https?:$/.test(URL.canParse(base) ? new URL(base).protocol : '')) return null;
  const credentials: { readonly standIn: string; readonly secret: string }[] = [];
  const standInFor = (secret: string, beginning = ''): string => {
    const standIn = `${beginning}ralph-${randomBytes(STAND_IN_BYTES).toString('hex')}`;
    credentials.push({ standIn, secret });
    return standIn;
  };
  const variables = Object.fromEntries(held.map(([name, beginning]) => [name, standInFor(env[name] ?? '', beginning)]));
  const lines = (headers && env[headers]) || '';
  if (headers && lines !== '')
    variables[headers] = lines.replaceAll(/(?<=:[ \t]*)[^\s].*$/gm, (value) => standInFor(value.trimEnd()));
  return {
    agent,
    base,
    credentials,
    variables: { ...variables, [provider.address]: `http://127.0.0.1:${CREDENTIALS_PORT}` },
  };
}
