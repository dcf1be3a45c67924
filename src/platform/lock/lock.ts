import * as fs from 'node:fs/promises';
import { dirname } from 'node:path';
import { systemClock } from '../clock.ts';
import { readText } from '../files/files.ts';
import { noPlainFile } from '../files/no-plain-file.ts';
import { makePrivateDir, PRIVATE_FILE } from '../files/private.ts';
import { hostName } from '../process/process-facts.ts';
import { claimName, type NameClaim } from './name-claim.ts';

/** Who holds a lock; written into its file for those who come too late. */
export interface LockHolder {
  readonly pid: number;
  readonly host: string;
  /** ISO 8601. */
  readonly startedAt: string;
  readonly run: string;
}

export interface Lock {
  /** Changes what others are told. */
  update(holder: LockHolder): Promise<void>;
  release(): Promise<void>;
}

/** How long a loser waits for the winner to write its name: fifty that start at once take a while on a busy machine. */
const NAME_PATIENCE_MS = 5_000;
/** For a text that is no name: names are written at one go, so no other will come. */
const NONSENSE_PATIENCE_MS = 500;

/**
 * Takes a lock or says who has it (null when that cannot be read). Two locks of the kernel stand behind it, each for
 * what the other misses; both end with the holder, however it dies, and children do not inherit them:
 * - on the file: holds for everyone who sees the file, across containers. Never unlinked: someone may be waiting on it.
 * - on Linux also a socket name made of the identity of the folder *above* the file's own: it holds when the file's
 *   folder is deleted and made again. Where the file lock's native part is missing (musl) it stands alone, and then
 *   does not reach into other network namespaces.
 */
export async function tryLock(path: string, holder: LockHolder): Promise<Lock | { heldBy: LockHolder | null }> {
  await makePrivateDir(dirname(path));
  const since = systemClock.now();
  for (;;) {
    const lock = await takeOnce(path, holder);
    if (lock !== 'taken') return lock;
    const found = await readHolder(path);
    if (found.holder && !isDead(found.holder)) return { heldBy: found.holder };
    // Without a name the winner is about to write it, or has let go since: only another try tells.
    const patience = found.isNonsense ? NONSENSE_PATIENCE_MS : NAME_PATIENCE_MS;
    if (systemClock.now() - since > patience) return { heldBy: found.holder };
    await systemClock.sleep(10);
  }
}

async function takeOnce(path: string, holder: LockHolder): Promise<Lock | 'taken'> {
  const claim = await claimName(dirname(dirname(path)));
  if (claim === 'taken') return 'taken';
  const letGo = async (error: unknown) => {
    await release(claim, null);
    throw error;
  };
  const file = await lockFile(path).catch(letGo);
  if (file === 'taken') {
    await release(claim, null);
    return 'taken';
  }
  if (file === 'unsupported' && claim === 'unsupported')
    throw new Error(`no kind of lock works for ${path} on this system`);
  const handle = file === 'unsupported' ? await openPlain(path).catch(letGo) : file;
  try {
    await writeHolder(handle, holder);
  } catch (error) {
    // A full disk: nobody has it then.
    await release(claim, handle);
    throw error instanceof Error ? Object.assign(error, { path }) : error;
  }
  return {
    update: (next) => writeHolder(handle, next),
    release: async () => {
      await handle.truncate(0);
      await release(claim, handle);
    },
  };
}

/**
 * Who holds a lock, null when nobody does. Makes and changes nothing, also where one may not write. The lock itself is
 * asked only where a name is left that may be that of a dead process: whoever tries to take it meanwhile would lose.
 */
export async function lockHolder(path: string): Promise<LockHolder | null> {
  const holder = parseHolder(await readText(path));
  if (holder === null || isDead(holder)) return null;
  const native = await import('fs-native-extensions').catch(() => null);
  const handle = native && (await fs.open(path, 'r+').catch(() => null));
  if (!native || !handle) return holder;
  try {
    return native.tryLock(handle.fd) ? null : holder;
  } finally {
    await handle.close();
  }
}

async function release(claim: NameClaim, handle: fs.FileHandle | null): Promise<void> {
  await handle?.close();
  if (typeof claim === 'object') await claim.release();
}

async function lockFile(path: string): Promise<fs.FileHandle | 'taken' | 'unsupported'> {
  // Imported late: most commands take no lock, and loading a native part may fail (musl).
  const native = await import('fs-native-extensions').catch(() => null);
  if (!native) return 'unsupported';
  for (;;) {
    const handle = await openPlain(path);
    if (!native.tryLock(handle.fd)) {
      await handle.close();
      return 'taken';
    }
    if (await isStillAt(handle, path)) return handle;
    await handle.close();
  }
}

/** A name cannot be written into a FIFO, nor a FIFO be emptied. */
async function openPlain(path: string): Promise<fs.FileHandle> {
  const handle = await fs.open(path, 'a+', PRIVATE_FILE);
  if ((await handle.stat()).isFile()) return handle;
  await handle.close();
  throw noPlainFile(path);
}

/** A lock on a file that was deleted or replaced before we had it would exclude nobody. */
async function isStillAt(handle: fs.FileHandle, path: string): Promise<boolean> {
  const [held, there] = await Promise.all([
    handle.stat({ bigint: true }),
    fs.stat(path, { bigint: true }).catch(() => null),
  ]);
  return there !== null && held.ino === there.ino && held.dev === there.dev;
}

/** Emptied, then written at one go: a reader sees the old name, none, or the new one. */
async function writeHolder(handle: fs.FileHandle, holder: LockHolder): Promise<void> {
  await handle.truncate(0);
  await handle.appendFile(`${JSON.stringify(holder)}\n`);
}

/** What a dead one wrote may stand there still, and text that is no name. */
async function readHolder(path: string): Promise<{ holder: LockHolder | null; isNonsense: boolean }> {
  const text = await readText(path);
  const holder = parseHolder(text);
  return { holder, isNonsense: holder === null && Boolean(text) };
}

function parseHolder(text: string | null): LockHolder | null {
  try {
    const { pid, host, startedAt, run } = JSON.parse(text ?? '');
    if (typeof pid !== 'number' || typeof host !== 'string' || typeof startedAt !== 'string' || typeof run !== 'string')
      return null;
    return { pid, host, startedAt, run };
  } catch {
    return null;
  }
}

/** Of another host we cannot know. */
function isDead({ host, pid }: LockHolder): boolean {
  if (host !== hostName()) return false;
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}
