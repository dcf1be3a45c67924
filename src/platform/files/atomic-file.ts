import * as fs from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { list, orNull, remove } from './files.ts';

export const TEMP_SUFFIX = '.ralph-tmp';

export interface WriteOptions {
  /** Wait until the bytes and the new name are on the disk; default true. */
  readonly fsync?: boolean;
  /** Permission bits; default those of the file that is replaced, else what the umask leaves of 666. */
  readonly mode?: number;
}

/**
 * Replaces a file in one step: whatever happens, a reader finds either the old bytes or the new ones. Folders on the
 * way are made. A symbolic link at `path` is replaced, not followed: an agent that plants one must not make the loop
 * write elsewhere. Throws the file system's error (then the old file stands and no temp file is left).
 */
export async function writeAtomic(path: string, data: string | Uint8Array, options: WriteOptions = {}): Promise<void> {
  const dir = dirname(path);
  const durable = options.fsync ?? true;
  const mode = options.mode ?? (await modeOf(path));
  // Any name that is free will do ('wx' makes sure that it is), so none of the cost of loading node:crypto.
  const temp = join(dir, `.${basename(path)}.${Math.random().toString(36).slice(2)}${TEMP_SUFFIX}`);
  const file = await openNew(temp, mode);
  try {
    try {
      await file.writeFile(data);
      if (mode !== null) await file.chmod(mode);
      if (durable) await file.sync();
    } finally {
      await file.close();
    }
    await fs.rename(temp, path);
  } catch (error) {
    await remove(temp);
    throw named(error, path);
  }
  if (durable) await syncDir(dir);
}

/**
 * Makes a file with its whole content unless it is there already: of several processes one makes it, and none ever reads
 * half of it. @returns whether this call made it
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
    await fs.link(temp, path);
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
 * Removes what writers that were killed left in a folder; returns how many files. Only for one who knows that nobody
 * writes there now: the holder of the lock, at its start.
 */
export async function removeStaleTemps(dir: string): Promise<number> {
  const stale = (await list(dir)).filter((name) => name.startsWith('.') && name.endsWith(TEMP_SUFFIX));
  await Promise.all(stale.map((name) => remove(join(dir, name))));
  return stale.length;
}

/** What fails on an open file does not say on which. */
function named(error: unknown, path: string): unknown {
  return error instanceof Error && 'code' in error && !('path' in error) ? Object.assign(error, { path }) : error;
}

/** Opens a new file for writing. The folder is there nearly always: only when it is not, it is made. */
async function openNew(path: string, mode: number | null): Promise<fs.FileHandle> {
  // From the first moment: what was open to others once may have been read.
  const file = await orNull(fs.open(path, 'wx', mode ?? undefined));
  if (file !== null) return file;
  await fs.mkdir(dirname(path), { recursive: true, ...(mode !== null && (mode & 0o077) === 0 ? { mode: 0o700 } : {}) });
  return fs.open(path, 'wx', mode ?? undefined);
}

async function modeOf(path: string): Promise<number | null> {
  const found = await fs.lstat(path).catch(() => null);
  return found?.isFile() ? found.mode & 0o7777 : null;
}

/** A rename is on the disk once its folder is. Some file systems cannot sync folders: then there is nothing to wait for. */
async function syncDir(dir: string): Promise<void> {
  const handle = await fs.open(dir, 'r');
  try {
    await handle.sync();
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code !== 'EINVAL' && code !== 'ENOTSUP' && code !== 'EPERM') throw error;
  } finally {
    await handle.close();
  }
}
