import * as fs from 'node:fs/promises';
import { createServer } from 'node:net';
import { dirname } from 'node:path';
import { systemClock } from './clock.ts';
import { makePrivateDir } from './files/atomic-file.ts';
import { readText } from './files/files.ts';
import { noPlainFile, PRIVATE_FILE } from './files/sync.ts';
import { hostName, processId } from './process/self.ts';

/** The holder of a lock; written into its file for processes that come too late. */
export interface LockHolder {
  readonly pid: number;
  readonly host: string;
  /** ISO 8601. */
  readonly startedAt: string;
  readonly run: string;
}

/** This process as the holder of a lock. @param run what it does there: the name of a run, or a command */
export function thisProcess(run: string, now = Date.now()): LockHolder {
  return { pid: processId(), host: hostName(), startedAt: new Date(now).toISOString(), run };
}

export interface Lock {
  /** Changes what other processes read about the holder. */
  update(holder: LockHolder): Promise<void>;
  release(): Promise<void>;
}

/**
 * How long a loser waits for the winner to write its name: when fifty start at once, that is slow on a busy machine.
 */
const NAME_PATIENCE_MS = 5_000;
/** How long to wait when the text is not a name: names are written in one go, so no other will come. */
const NONSENSE_PATIENCE_MS = 500;

/**
 * Takes a lock or returns its holder (null when that cannot be read). It uses two kernel locks, each for what the other
 * misses; both end with the holder, however it dies, and children do not inherit them:
 * - on the file: holds for every process that sees the file, across containers. Never unlinked: a process may be
 *   waiting on it.
 * - on Linux also a socket name derived from the identity of the folder *above* the file's own: it holds even when the
 *   file's folder is deleted and created again. Where the file lock's native part is missing (musl) it is the only
 *   lock, and then does not reach into other network namespaces.
 */
export async function tryLock(path: string, holder: LockHolder): Promise<Lock | { heldBy: LockHolder | null }> {
  await makePrivateDir(dirname(path));
  const since = systemClock.now();
  for (;;) {
    const lock = await takeOnce(path, holder);
    if (lock !== 'taken') return lock;
    const found = await readHolder(path);
    if (found.holder && !isDead(found.holder)) return { heldBy: found.holder };
    // Without a name the winner is about to write it, or has let go since: only another try shows which.
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
    // A full disk: then no process holds the lock.
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
 * The holder of a lock; null when it is free. Creates and changes nothing, and works without write permission. The lock
 * itself is tried only when the name left in the file may be that of a dead process: a process that tries to take the
 * lock at that moment would lose.
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
  // Imported late: most commands take no lock, and loading native code may fail (musl).
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

/** A name cannot be written into a FIFO, and a FIFO cannot be emptied. */
async function openPlain(path: string): Promise<fs.FileHandle> {
  const handle = await fs.open(path, 'a+', PRIVATE_FILE);
  if ((await handle.stat()).isFile()) return handle;
  await handle.close();
  throw noPlainFile(path);
}

/** A lock on a file that was deleted or replaced before the lock was taken would exclude no process. */
async function isStillAt(handle: fs.FileHandle, path: string): Promise<boolean> {
  const [held, there] = await Promise.all([
    handle.stat({ bigint: true }),
    fs.stat(path, { bigint: true }).catch(() => null),
  ]);
  return there !== null && held.ino === there.ino && held.dev === there.dev;
}

/** Emptied, then written in one go: a reader sees the old name, none, or the new one. */
async function writeHolder(handle: fs.FileHandle, holder: LockHolder): Promise<void> {
  await handle.truncate(0);
  await handle.appendFile(`${JSON.stringify(holder)}\n`);
}

/** The file may still hold the name of a dead process, or text that is not a name. */
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

/** For a process on another host this cannot be known. */
function isDead({ host, pid }: LockHolder): boolean {
  if (host !== hostName()) return false;
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}

/** A name that only one process of this machine can have at a time. */
type NameClaim = { release(): Promise<void> } | 'taken' | 'unsupported';

/**
 * Claims the name of a folder among the kernel's abstract sockets (Linux): it has no file, ends with its process, and
 * is derived from the folder's device and inode, so that equal paths in two containers do not collide.
 */
async function claimName(dir: string): Promise<NameClaim> {
  if (process.platform !== 'linux') return 'unsupported';
  // Inodes of some file systems exceed the exact range of a number.
  const { dev, ino } = await fs.stat(dir, { bigint: true });
  const server = createServer((connection) => connection.destroy());
  // It must not keep alive a process that has nothing else to do.
  server.unref();
  return new Promise((resolve) => {
    // Any other refusal comes from a sandbox without such sockets.
    server.once('error', (error: NodeJS.ErrnoException) =>
      resolve(error.code === 'EADDRINUSE' ? 'taken' : 'unsupported'),
    );
    server.listen(`\0ralph-lock-${dev}-${ino}`, () => {
      resolve({ release: () => new Promise((done) => server.close(() => done())) });
    });
  });
}
