import { join } from 'node:path';
import { count, type Env, fits, jsonObject, type Of, object, text } from '../../../contracts/index.ts';
import { makePrivateDir, readText, remove, writePrivate } from '../../../platform/index.ts';
import { stateHome } from './state-home.ts';

const REFUSED = object({
  at: count,
  /** What the provider answered. */
  answer: text,
  /** Of the credential that was refused: see `FoundLogin.mark`. */
  salt: text,
  mark: text,
});
type RefusedLogin = Of<typeof REFUSED>;

/** In the {@link stateHome}. @param where the isolation: each has logins of its own */
const pathOf = (env: Env, agent: string, where: string) => join(stateHome(env), 'logins', `${agent}-${where}.json`);

/** The login that a provider refused last; null when the last one was accepted. */
export async function readRefusedLogin(env: Env, agent: string, where: string): Promise<RefusedLogin | null> {
  const read = jsonObject((await readText(pathOf(env, agent, where)).catch(() => null)) ?? '');
  return read !== null && fits<RefusedLogin>(REFUSED, read) ? (read as RefusedLogin) : null;
}

/** Keeps it for `doctor`; null: it was accepted. No run fails because this cannot be written. */
export async function noteLogin(env: Env, agent: string, where: string, refused: RefusedLogin | null): Promise<void> {
  const path = pathOf(env, agent, where);
  try {
    if (refused === null) return await remove(path);
    await makePrivateDir(join(stateHome(env), 'logins'));
    await writePrivate(path, `${JSON.stringify(refused)}\n`, { fsync: false });
  } catch {
    // It is only a memory.
  }
}
