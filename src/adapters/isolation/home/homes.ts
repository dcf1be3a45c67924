import { dirname, isAbsolute, join } from 'node:path';
import { messageOf, StateError } from '../../../contracts/index.ts';
import {
  chmod,
  exists,
  isWithin,
  list,
  lockHolder,
  makeDir,
  makeNewDir,
  makePrivateDir,
  readBelow,
  readBytes,
  realPath,
  remove,
  removeTree,
  stat,
  systemClock,
  thisProcess,
  tryLock,
  writeAtomic,
  writeBelow,
} from '../../../platform/index.ts';
import type { Env, HomeNeeds, LoginFile, OpenHome } from '../port.ts';
import { holdsCredential, isSettingsFile } from '../view/credentials.ts';
import { isolationState, loginStore, usersHome } from './store.ts';

export interface Homes {
  readonly open: OpenHome;
  /** Which of the user's settings were left out, and why. */
  readonly notices: readonly string[];
}

export interface HomesInput {
  readonly env: Env;
  /** Of the agents that may run there; none for all other commands, which then get no login. */
  readonly needs: readonly HomeNeeds[];
  readonly rights?: LoginRights;
}

/** Time limit for cleaning up after a process; the next start removes the rest. */
const CLEANING_MS = 20_000;
/** The owner of a younger folder of homes may be about to lock it. */
const NEW_MS = 60_000;
/**
 * Reads once which of the user's settings go into the home folders of agents. Each process then gets its own new home
 * folder, in a folder that nothing inside can see, removed when the process has ended: no process can leave data at
 * home for another. Only logins are kept, in a store beside it (logins.ts).
 *
 * @throws StateError when the folder cannot be written
 */
export async function prepareHomes(input: HomesInput): Promise<Homes> {
  const { env, needs, rights = 'renew' } = input;
  const base = isolationState(env);
  return orStateError(base, async () => {
    const folder = await ownFolder(base);
    const logins = needs.flatMap((each) => each.logins);
    const notices: string[] = [];
    if (logins.length > 0) await makePrivateDir(loginStore(env));
    const files = new Map<string, Picked>();
    for (const { config } of needs) {
      if (config === null) continue;
      const from = configFolder(env, config);
      const { files: picked, leftOut } = await pickParts(from, config.copied);
      for (const each of picked) files.set(join(config.folder, each.path), each);
      notices.push(...leftOut.map((what) => `not copied into the isolation from ${from}: ${what}`));
    }
    const seeds = Object.entries(Object.assign({}, ...needs.map((each) => each.seeds)) as Record<string, string>);
    const shared = logins.filter(({ path }) => !files.has(path));
    const open = () =>
      orStateError(folder, async () => {
        const path = await makeNewDir(join(folder, 'home-'));
        for (const [at, { bytes, executable }] of files) {
          await put(join(path, at), bytes, executable ? 0o700 : 0o600);
        }
        const sharing = shared.length === 0 ? null : await shareLogins(path, loginStore(env), shared, rights);
        for (const [at, text] of seeds) if (!(await exists(join(path, at)))) await put(join(path, at), text, 0o600);
        return {
          path,
          close: async () => {
            await sharing?.end();
            await removeTree(path, systemClock.now() + CLEANING_MS).catch(() => {});
          },
        };
      });
    return { open, notices };
  });
}

const owned = new Map<string, Promise<{ readonly folder: string; readonly lock: unknown }>>();

/** The folder of this process's homes, new and private, and locked while the process lives. */
async function ownFolder(base: string): Promise<string> {
  const known = owned.get(base) ?? makeOwnFolder(base);
  owned.set(base, known);
  known.catch(() => owned.delete(base));
  const { folder } = await known;
  return folder;
}

/** @returns the folder and its lock, which ends when nothing refers to it */
async function makeOwnFolder(base: string): Promise<{ readonly folder: string; readonly lock: unknown }> {
  const all = join(base, 'homes');
  await makeDir(all);
  for (const private_ of [base, all]) await chmod(private_, 0o700);
  const folder = await makeNewDir(join(all, 'of-'));
  const lock = await tryLock(lockOf(folder), thisProcess(''));
  await removeAbandoned(all);
  return { folder, lock };
}

const lockOf = (folder: string) => join(folder, 'process', 'lock');

async function removeAbandoned(all: string): Promise<void> {
  for (const name of await list(all)) {
    const folder = join(all, name);
    const found = await stat(folder);
    const age = systemClock.now() - (found?.mtimeMs ?? Number.POSITIVE_INFINITY);
    if (age < NEW_MS || (await lockHolder(lockOf(folder))) !== null) continue;
    await removeTree(folder, systemClock.now() + CLEANING_MS).catch(() => {});
  }
}

/** The folder of the user's configuration for the agent. */
function configFolder(env: Env, { folder, variable, variableNamesHome }: NonNullable<HomeNeeds['config']>): string {
  const named = variable ? env[variable] : undefined;
  if (named && isAbsolute(named)) return variableNamesHome ? join(named, folder) : named;
  return join(usersHome(env), folder);
}

async function put(path: string, bytes: Uint8Array | string, mode: number): Promise<void> {
  await makeDir(dirname(path));
  await writeAtomic(path, bytes, { fsync: false, mode });
}

async function orStateError<T>(where: string, doing: () => Promise<T>): Promise<T> {
  try {
    return await doing();
  } catch (error) {
    throw new StateError({
      what: 'the home folder of the isolation cannot be made',
      where,
      why: messageOf(error),
      fix: ['set XDG_STATE_HOME to a folder you may write'],
    });
  }
}

interface Picked {
  readonly path: string;
  readonly bytes: Uint8Array;
  readonly executable: boolean;
}

interface Pick {
  readonly files: readonly Picked[];
  /** What was left out, and why, for the user: `skills/x is larger than 1 MB`. */
  readonly leftOut: readonly string[];
}

/** For instructions and small programs; anything larger is a mistake, or not an instruction. */
const LIMITS = { fileBytes: 1024 ** 2, totalBytes: 32 * 1024 ** 2, files: 4000, depth: 12 };

/**
 * Reads the named parts of a user's configuration folder. Links are followed only within that folder: an agent may have
 * planted one earlier that leads anywhere. Missing parts are skipped, and so is anything that is neither file nor
 * folder.
 */
async function pickParts(folder: string, parts: readonly string[]): Promise<Pick> {
  const root = await realPath(folder).catch(() => null);
  if (root === null) return { files: [], leftOut: [] };
  const files: Picked[] = [];
  const leftOut: string[] = [];
  let total = 0;

  async function take(path: string, depth: number): Promise<void> {
    const real = await realPath(join(root ?? '', path)).catch(() => null);
    if (real === null) return;
    if (!isWithin(real, root ?? '')) return void leftOut.push(`${path} is a link to a place outside ${folder}`);
    const found = await stat(real);
    if (found?.kind === 'dir') {
      if (depth >= LIMITS.depth) return void leftOut.push(`${path} lies too deep`);
      for (const name of await list(real)) if (name !== '.git') await take(join(path, name), depth + 1);
      return;
    }
    if (found?.kind !== 'file') return;
    if (found.size > LIMITS.fileBytes) return void leftOut.push(`${path} is larger than 1 MB`);
    if (files.length >= LIMITS.files || total + found.size > LIMITS.totalBytes) {
      return void leftOut.push(`${path}: too much to copy`);
    }
    const bytes = (await readBytes(real)) ?? new Uint8Array();
    if (isSettingsFile(path) && holdsCredential(new TextDecoder().decode(bytes))) {
      return void leftOut.push(`${path} holds a key or a password (name a variable there instead)`);
    }
    total += bytes.byteLength;
    files.push({ path, bytes, executable: (found.mode & 0o111) !== 0 });
  }

  for (const part of parts) await take(part, 0);
  return { files, leftOut };
}

/** Larger than any login; a larger file is not one. */
const MOST_BYTES = 256 * 1024;

/** Interval at which a home folder is compared with the store while an agent works, in milliseconds. */
const EVERY_MS = 1000;

type LoginRights =
  /** Agents: renew a login that a person made. */
  | 'renew'
  /** `ralph sandbox shell`, used by a person: make a login, and log out. */
  | 'make';

/**
 * Puts the kept logins into a new home folder, and keeps both in step while a process works there: a renewal goes at
 * once to the store and to every other home folder, where the renewed token would otherwise be worthless.
 *
 * @param home not yet visible to any process inside
 * @param files the logins for which the home folder has no file from the user
 * @returns `end` keeps the last renewals, and never rejects
 */
async function shareLogins(
  home: string,
  store: string,
  files: readonly LoginFile[],
  rights: LoginRights,
): Promise<{ end(): Promise<void> }> {
  const seen = new Map<LoginFile, string>();
  for (const file of files) {
    const kept = await loginIn(store, file);
    // Clients expect the folder of a login, and so does this program when a client renews it.
    await makeDir(join(home, dirname(file.path)));
    if (kept === null) continue;
    await writeAtomic(join(home, file.path), kept, { fsync: false, mode: 0o600 });
    seen.set(file, kept);
  }

  const compare = async (file: LoginFile): Promise<void> => {
    const [here, kept] = await Promise.all([loginIn(home, file), loginIn(store, file)]);
    const before = seen.get(file) ?? null;
    if (here !== null && here !== before && (kept !== null || rights === 'make')) {
      await writeAtomic(join(store, file.path), here, { mode: 0o600 });
      seen.set(file, here);
    } else if (file.renewed && kept !== null && kept !== before) {
      await writeBelow(home, file.path, kept);
      seen.set(file, kept);
    }
  };
  const compareAll = async () => {
    for (const file of files) await compare(file).catch(() => {});
  };
  let comparing = Promise.resolve();
  const timer = setInterval(() => {
    comparing = comparing.then(compareAll);
  }, EVERY_MS);
  timer.unref();
  return {
    end: async () => {
      clearInterval(timer);
      await comparing;
      await compareAll();
      for (const [file] of rights === 'make' ? seen : []) {
        const loggedOut = !(await exists(join(home, file.path)).catch(() => true));
        if (loggedOut) await remove(join(store, file.path)).catch(() => {});
      }
    },
  };
}

/** The login in a file below a folder that agents may write to; null when it is missing or not a login. */
async function loginIn(root: string, file: LoginFile): Promise<string | null> {
  const bytes = await readBelow(root, file.path, MOST_BYTES);
  return bytes === null ? null : file.login(new TextDecoder().decode(bytes));
}
