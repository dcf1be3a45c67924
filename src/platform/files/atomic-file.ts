import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  fsync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import * as fs from 'node:fs/promises';
import { realpath, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { stat as linkStat, list, orNull, orNullSync, remove } from './files.ts';
import { attempt, isThereSync, PRIVATE_DIR, PRIVATE_FILE, textPieces } from './sync.ts';

/** What waits for the disk waits in a thread: this, and the renaming of what was not synced. */
const synced = promisify(fsync);

export const TEMP_SUFFIX = '.ralph-tmp';

interface WriteOptions {
  /** Wait until the bytes and the new name are on the disk; default true. */
  readonly fsync?: boolean;
  /** Permission bits; by default those of the replaced file, else what the umask leaves of 666. */
  readonly mode?: number;
}

/**
 * Replaces a file in one step: a reader always finds either the old bytes or the new ones. Missing parent folders are
 * created. A symbolic link at `path` is replaced, not followed: an agent that plants one must not make the loop write
 * elsewhere. Throws the file system's error (then the old file is unchanged and no temp file is left).
 */
export async function writeAtomic(path: string, data: string | Uint8Array, options: WriteOptions = {}): Promise<void> {
  const dir = dirname(path);
  const durable = options.fsync ?? true;
  const mode = options.mode ?? modeOf(path);
  // Any free name will do ('wx' makes sure that it is free), which saves the cost of loading node:crypto.
  const temp = join(dir, `.${basename(path)}.${Math.random().toString(36).slice(2)}${TEMP_SUFFIX}`);
  const fd = openNew(temp, mode);
  try {
    try {
      writeWhole(fd, data);
      if (mode !== null) fchmodSync(fd, mode);
      if (durable) await synced(fd);
    } finally {
      closeSync(fd);
    }
    await fs.rename(temp, path);
  } catch (error) {
    await remove(temp);
    throw named(error, path);
  }
  if (durable) await syncDir(dir);
}

/**
 * Creates a file with its whole content unless it exists already: only one of several processes creates it, and none
 * ever reads half of it. @returns whether this call created it
 */
export async function createOnce(
  path: string,
  data: string,
  mode: number,
  { fsync = true }: { readonly fsync?: boolean } = {},
): Promise<boolean> {
  const temp = `${path}.${Math.random().toString(36).slice(2)}${TEMP_SUFFIX}`;
  await writeAtomic(temp, data, { mode, fsync });
  try {
    linkSync(temp, path);
    if (fsync) await syncDir(dirname(path));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw named(error, path);
  } finally {
    await remove(temp);
  }
}

/**
 * Removes the temp files that killed writers left in a folder; returns how many. Only for a caller that knows that no
 * process writes there now: the holder of the lock, at its start.
 */
export async function removeStaleTemps(dir: string): Promise<number> {
  const stale = (await list(dir)).filter((name) => name.startsWith('.') && name.endsWith(TEMP_SUFFIX));
  await Promise.all(stale.map((name) => remove(join(dir, name))));
  return stale.length;
}

/**
 * Writes a file for a moment's use, in the place of the last one: it may be seen half written, and a crash may leave
 * it. A new file, since some file systems bring what replaces another to the disk at once.
 */
export async function writeScratch(path: string, data: string | Uint8Array): Promise<void> {
  if (isThereSync(path)) orNullSync(() => unlinkSync(path));
  const fd = openNew(path, PRIVATE_FILE);
  try {
    writeWhole(fd, data);
  } finally {
    closeSync(fd);
  }
}

function writeWhole(fd: number, data: string | Uint8Array): void {
  for (const piece of typeof data === 'string' ? textPieces(data) : [data]) writeFileSync(fd, piece);
}

/** Adds the path to an error: an error on an open file does not name it. */
function named(error: unknown, path: string): unknown {
  return error instanceof Error && 'code' in error && !('path' in error) ? Object.assign(error, { path }) : error;
}

/** Opens a new file for writing. The folder nearly always exists, so it is created only after the open fails. */
function openNew(path: string, mode: number | null): number {
  // Private from the first moment: a file that was ever open to others may have been read.
  const fd = orNullSync(() => openSync(path, 'wx', mode ?? undefined));
  if (fd !== null) return fd;
  mkdirSync(dirname(path), { recursive: true, ...(mode !== null && (mode & 0o077) === 0 ? { mode: 0o700 } : {}) });
  return openSync(path, 'wx', mode ?? undefined);
}

function modeOf(path: string): number | null {
  const found = attempt(() => lstatSync(path, { throwIfNoEntry: false }));
  return found?.isFile() ? found.mode & 0o7777 : null;
}

/**
 * A rename is on the disk once its folder is. Some file systems cannot sync folders: then there is nothing to wait for.
 */
async function syncDir(dir: string): Promise<void> {
  const fd = openSync(dir, 'r');
  try {
    await synced(fd);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code !== 'EINVAL' && code !== 'ENOTSUP' && code !== 'EPERM') throw error;
  } finally {
    closeSync(fd);
  }
}

const OTHERS = 0o077;

/** Replaces a file as `writeAtomic` does, readable only by its owner. */
export async function writePrivate(
  path: string,
  data: string | Uint8Array,
  options: Omit<WriteOptions, 'mode'> = {},
): Promise<void> {
  await writeAtomic(path, data, { ...options, mode: PRIVATE_FILE });
}

/** Creates a folder and its parents, closed to other users; a folder that already exists is closed. */
export async function makePrivateDir(path: string): Promise<void> {
  mkdirSync(path, { recursive: true, mode: PRIVATE_DIR });
  await closeToOthers(path);
}

/**
 * Takes all rights away from other users: on a file, or on a folder and all that is in it. A folder that is closed
 * already keeps everything below it closed and is not searched again. Links are not followed; a path that does not
 * exist or belongs to another user stays unchanged.
 */
export async function closeToOthers(path: string): Promise<void> {
  // Changed through the open file, never by name: a link may take its place meanwhile. Opened without waiting, in case
  // it is a FIFO.
  const fd = attempt(() => openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK));
  if (fd === null) return;
  try {
    const stats = fstatSync(fd);
    if ((stats.mode & OTHERS) === 0) return;
    if (stats.isDirectory()) for (const name of readdirSync(path)) await closeToOthers(join(path, name));
    fchmodSync(fd, stats.mode & 0o7777 & ~OTHERS);
  } catch {
    return;
  } finally {
    closeSync(fd);
  }
}

const DESCRIPTOR = /^\/(?:dev|proc\/self)\/fd\/(\d+)$/;
const STANDARD: Readonly<Record<string, number>> = { '/dev/stdout': 1, '/dev/stderr': 2 };

/** The open file that a path names by its number, such as a shell gives for `>(program)`; null for any other path. */
export function descriptorAt(path: string): number | null {
  const number = DESCRIPTOR.exec(path)?.[1];
  return number === undefined ? (STANDARD[path] ?? null) : Number(number);
}

/**
 * Writes to a place that a person named: a link is followed, devices, pipes and open files are written into, and only a
 * plain or new file is replaced in one step. No folder is created.
 * @param path absolute
 * @throws Error worded for people where no file can be, else the file system's own
 */
export async function writeOutput(path: string, text: string): Promise<void> {
  const descriptor = descriptorAt(path);
  // Opening it again would empty it, or fail where it is a socket.
  if (descriptor !== null) return writeFileSync(descriptor, text);
  const found = await orNull(stat(path));
  if (found?.isDirectory()) throw new Error('it is a folder');
  if (found?.isFile()) return writeAtomic(await realpath(path), text, { fsync: false });
  if (found) return writeFile(path, text, { flag: constants.O_WRONLY });
  const folder = dirname(path);
  if (!(await orNull(stat(folder)))?.isDirectory()) throw new Error(`there is no folder ${folder}`);
  // A link to a missing file: the file that it names is created.
  if ((await linkStat(path)) !== null) return writeFile(path, text);
  return writeAtomic(path, text, { fsync: false });
}
