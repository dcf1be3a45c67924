import { constants } from 'node:fs';
import * as fs from 'node:fs/promises';
import { join } from 'node:path';
import { type WriteOptions, writeAtomic } from './atomic-file.ts';

/** What runs write is for the person who started them alone, whatever the umask says. */
export const PRIVATE_FILE = 0o600;
export const PRIVATE_DIR = 0o700;

const OTHERS = 0o077;

/** Replaces a file as `writeAtomic` does, readable by its owner alone. */
export async function writePrivate(
  path: string,
  data: string | Uint8Array,
  options: Omit<WriteOptions, 'mode'> = {},
): Promise<void> {
  await writeAtomic(path, data, { ...options, mode: PRIVATE_FILE });
}

/** Makes a folder and those above it, closed to other users; one that is there is closed. */
export async function makePrivateDir(path: string): Promise<void> {
  await fs.mkdir(path, { recursive: true, mode: PRIVATE_DIR });
  await closeToOthers(path);
}

/**
 * Takes every right away from other users: of a file, or of a folder and all that is in it. A folder that is closed
 * already keeps everything below it closed, and is not looked through again. Links are not followed, and what is not
 * there, or somebody else's, stays as it is.
 */
export async function closeToOthers(path: string): Promise<void> {
  // Never by its name: a link may take its place meanwhile. Without waiting, should it be a FIFO.
  const file = await fs.open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(() => null);
  if (file === null) return;
  try {
    const stats = await file.stat();
    if ((stats.mode & OTHERS) === 0) return;
    if (stats.isDirectory()) for (const name of await fs.readdir(path)) await closeToOthers(join(path, name));
    await file.chmod(stats.mode & 0o7777 & ~OTHERS);
  } catch {
    return;
  } finally {
    await file.close();
  }
}
