import { join } from 'node:path';
import { StateError } from '../../../contracts/errors.ts';
import { createOnce } from '../../../platform/files/atomic-file.ts';
import { chmod, makeDir, readText, realPath } from '../../../platform/files/files.ts';
import { stateHome } from './state-home.ts';

type Env = Readonly<Record<string, string | undefined>>;

const KEY = /^[0-9a-f]{64}$/;

/**
 * The key that signs what a person says in one work tree. It lies beside the tokens of runs in the state home of that
 * person: outside of every work tree, and not to be seen inside an isolation. Without an isolation an agent has the
 * person's rights and could read it.
 */
export interface WordsKey {
  /** Signs an entry as it will stand in the file. */
  sign(entry: object): string;
  /** Whether this key signed the entry as it is now. */
  isSigned(entry: object, mac: unknown): boolean;
}

/** The key of a work tree, by its state folder; null when nothing was ever signed for it by this person. */
export async function readWordsKey(stateDir: string, env: Env = process.env): Promise<WordsKey | null> {
  const text = (await readText(await keyPath(stateDir, env)))?.trim();
  return text !== undefined && KEY.test(text) ? keyOf(text, await crypto()) : null;
}

/**
 * The same, made at its first use. Of several processes that make it at once one wins, and all get that one.
 * @throws StateError where it can be neither read nor made
 */
export async function needWordsKey(stateDir: string, env: Env = process.env): Promise<WordsKey> {
  const path = await keyPath(stateDir, env);
  try {
    const found = await readWordsKey(stateDir, env);
    if (found !== null) return found;
    const { randomBytes } = await crypto();
    const folder = controlFolder(env);
    await makeDir(folder);
    await chmod(folder, 0o700);
    await createOnce(path, `${randomBytes(32).toString('hex')}\n`, 0o600);
    const made = await readWordsKey(stateDir, env);
    if (made !== null) return made;
  } catch (error) {
    throw unusable(path, error instanceof Error ? error.message : String(error));
  }
  throw unusable(path, 'the file holds no key');
}

function unusable(path: string, why: string): StateError {
  return new StateError({
    what: 'the key that signs what you say to runs cannot be used',
    where: path,
    why,
    mend: ['remove that file: a new key is made; what was said before and not yet heard has to be said again'],
  });
}

/** Loaded when something is signed or checked: it takes long to load, and most commands need neither. */
function crypto(): Promise<typeof import('node:crypto')> {
  return import('node:crypto');
}

function keyOf(key: string, { createHmac, timingSafeEqual }: typeof import('node:crypto')): WordsKey {
  const macOf = (entry: object) => createHmac('sha256', Buffer.from(key, 'hex')).update(JSON.stringify(entry)).digest();
  return {
    sign: (entry) => macOf(entry).toString('hex'),
    isSigned(entry, mac) {
      if (typeof mac !== 'string' || !KEY.test(mac)) return false;
      return timingSafeEqual(macOf(entry), Buffer.from(mac, 'hex'));
    },
  };
}

/** One key for each state folder, so that a line of one work tree says nothing in another. */
async function keyPath(stateDir: string, env: Env): Promise<string> {
  // The folder may be new: then its parent tells where it will be.
  const real = await realPath(stateDir).catch(() => stateDir);
  const { createHash } = await crypto();
  return join(controlFolder(env), `words-${createHash('sha256').update(real).digest('hex').slice(0, 32)}.key`);
}

function controlFolder(env: Env): string {
  return join(stateHome(env), 'control');
}
