import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { StateError } from '../../../contracts/errors.ts';
import { systemClock } from '../../../platform/clock.ts';
import { writeAtomic } from '../../../platform/files/atomic-file.ts';
import { chmod, exists, list, makeDir, makeNewDir, remove, stat } from '../../../platform/files/files.ts';
import { removeTree } from '../../../platform/files/folder.ts';
import { lockHolder, tryLock } from '../../../platform/lock/lock.ts';
import { hostName, processId } from '../../../platform/process/process-facts.ts';
import type { LoginFile, OpenHome } from '../port.ts';
import { type LoginRights, shareLogins, takeOverLogins } from './logins.ts';
import { type Picked, pickParts } from './pick.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** What an agent wants of its home folder: the part of `InsideNeeds` (../../agents/port.ts) that concerns it. */
export interface HomeNeeds {
  readonly config: {
    readonly folder: string;
    readonly variable: string | null;
    readonly variableNamesHome?: true;
    readonly copied: readonly string[];
  } | null;
  readonly logins: readonly LoginFile[];
  readonly seeds: Readonly<Record<string, string>>;
}

/** Makes home folders of the inside. */
export interface Homes {
  readonly open: OpenHome;
  /** What of the person's settings was left out, and why; what was taken over from an earlier version. */
  readonly notices: readonly string[];
}

/** How long a process that has ended is cleaned up after; what is left goes with the next start. */
const CLEANING_MS = 20_000;
/** A folder of homes younger than this may be about to be locked by its process. */
const NEW_MS = 60_000;
/** Earlier versions had one home folder for each of these, which lasted. */
const EARLIER: readonly string[] = ['bwrap', 'srt', 'container'];

/**
 * Reads once what of the person's settings goes into the home folders of agents. Each process then gets a home folder of
 * its own, made new in a folder that nothing inside can see, and removed when the process has ended: nothing that a
 * process leaves at home speaks to another. Only logins are kept, in a store beside it (logins.ts).
 *
 * @param needs of the agents that may run there; none for everything else, which then gets no login
 * @throws StateError when nothing can be written there
 */
export async function prepareHomes(input: {
  readonly env: Env;
  readonly needs: readonly HomeNeeds[];
  readonly rights?: LoginRights;
}): Promise<Homes> {
  const { env, needs, rights = 'renew' } = input;
  const base = isolationState(env);
  return orStateError(base, async () => {
    const folder = await ownFolder(base);
    const logins = needs.flatMap((each) => each.logins);
    const notices = await takeOver(base, env, logins);
    const files = new Map<string, Picked>();
    for (const { config } of needs) {
      if (config === null) continue;
      const from = configFolder(env, config);
      const { files: picked, leftOut } = await pickParts(from, config.copied);
      for (const each of picked) files.set(join(config.folder, each.path), each);
      notices.push(...leftOut.map((what) => `not taken into the isolation from ${from}: ${what}`));
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

/** The same, read when the first home folder is asked for: many backends are opened to be looked at only. */
export function lazyHomes(input: Parameters<typeof prepareHomes>[0]): {
  readonly prepare: () => Promise<Homes>;
  readonly open: OpenHome;
} {
  let homes: Promise<Homes> | null = null;
  const prepare = () => {
    homes ??= prepareHomes(input);
    return homes;
  };
  return { prepare, open: async () => (await prepare()).open() };
}

/** Where the logins are kept that were made inside: `${XDG_STATE_HOME:-~/.local/state}/ralph/isolation/logins`. */
export function loginStore(env: Env): string {
  return join(isolationState(env), 'logins');
}

/** Removes every login that was made inside, and what earlier versions kept. @returns was there anything? */
export async function removeLogins(env: Env): Promise<boolean> {
  const base = isolationState(env);
  const places = [loginStore(env), ...EARLIER.map((name) => join(base, name))];
  const found = await Promise.all(places.map(exists));
  for (const place of places) await remove(place);
  return found.includes(true);
}

function isolationState(env: Env): string {
  const asked = env['XDG_STATE_HOME'];
  const state = asked && isAbsolute(asked) ? asked : join(personsHome(env), '.local', 'state');
  return join(state, 'ralph', 'isolation');
}

const owned = new Map<string, Promise<{ readonly folder: string; readonly lock: unknown }>>();

/** The folder of this process's homes, new and private, and locked as long as the process lives. */
async function ownFolder(base: string): Promise<string> {
  const known = owned.get(base) ?? makeOwnFolder(base);
  owned.set(base, known);
  known.catch(() => owned.delete(base));
  const { folder } = await known;
  return folder;
}

/** @returns with the lock, which ends when nothing refers to it */
async function makeOwnFolder(base: string): Promise<{ readonly folder: string; readonly lock: unknown }> {
  const all = join(base, 'homes');
  await makeDir(all);
  for (const private_ of [base, all]) await chmod(private_, 0o700);
  const folder = await makeNewDir(join(all, 'of-'));
  const holder = { pid: processId(), host: hostName(), startedAt: new Date(systemClock.now()).toISOString(), run: '' };
  const lock = await tryLock(lockOf(folder), holder);
  await removeAbandoned(all);
  return { folder, lock };
}

const lockOf = (folder: string) => join(folder, 'process', 'lock');

/** Home folders of processes that were killed. */
async function removeAbandoned(all: string): Promise<void> {
  for (const name of await list(all)) {
    const folder = join(all, name);
    const found = await stat(folder);
    const age = systemClock.now() - (found?.mtimeMs ?? Number.POSITIVE_INFINITY);
    if (age < NEW_MS || (await lockHolder(lockOf(folder))) !== null) continue;
    await removeTree(folder, systemClock.now() + CLEANING_MS).catch(() => {});
  }
}

/** The logins of the home folders that lasted in earlier versions, once. They themselves stay, and are said to. */
async function takeOver(base: string, env: Env, logins: readonly LoginFile[]): Promise<string[]> {
  const store = loginStore(env);
  if (logins.length === 0 || (await exists(store))) return [];
  await makeDir(store);
  await chmod(store, 0o700);
  const notices: string[] = [];
  for (const name of EARLIER) {
    const home = join(base, name, 'home');
    if (!(await exists(home))) continue;
    const taken = await takeOverLogins(home, store, logins);
    const what = taken.length === 0 ? 'no login was found there' : `its logins were taken over (${taken.join(', ')})`;
    notices.push(`${home} is not used any more: ${what}; delete ${dirname(home)} when you miss nothing`);
  }
  return notices;
}

/** Where the person keeps the agent's configuration. */
function configFolder(env: Env, { folder, variable, variableNamesHome }: NonNullable<HomeNeeds['config']>): string {
  const named = variable ? env[variable] : undefined;
  if (named && isAbsolute(named)) return variableNamesHome ? join(named, folder) : named;
  return join(personsHome(env), folder);
}

function personsHome(env: Env): string {
  return env['HOME'] || homedir();
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
      why: error instanceof Error ? error.message : String(error),
      mend: ['set XDG_STATE_HOME to a folder you may write'],
    });
  }
}
