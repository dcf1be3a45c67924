import { constants } from 'node:fs';
import { access, lstat, stat, statfs } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { orNull } from './files.ts';

/** Bytes that this user may still write there; null where the system does not tell. */
export async function freeBytes(folder: string): Promise<number | null> {
  const facts = await orNull(statfs(folder)).catch(() => null);
  return facts === null ? null : facts.bavail * facts.bsize;
}

/** What keeps a user from writing to a folder. */
export interface NotWritable {
  /** The folder, or the nearest one above it that is there. */
  readonly path: string;
  /** It is someone else's, its permissions are missing, all of the disk is read-only, or it is no folder. */
  readonly why: 'owner' | 'mode' | 'read-only' | 'file' | 'link';
}

/** May this user make files in the folder, or, where it does not exist yet, the folder itself? null when so. */
export async function notWritable(path: string): Promise<NotWritable | null> {
  const itself = await orNull(lstat(path)).catch(() => null);
  const found = itself?.isSymbolicLink() ? await orNull(stat(path)).catch(() => null) : itself;
  if (itself !== null && found === null) return { path, why: 'link' };
  if (found !== null && !found.isDirectory()) return { path, why: 'file' };
  try {
    await access(path, constants.W_OK | constants.X_OK);
    return null;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (found === null) return dirname(path) === path ? null : notWritable(dirname(path));
    if (code === 'EROFS') return { path, why: 'read-only' };
    return { path, why: found.uid === process.getuid?.() ? 'mode' : 'owner' };
  }
}

/** Are `Name` and `nAME` one and the same there, as on most disks of macOS? Asks with the folder's own name; null where that has no letters. */
export async function ignoresCase(folder: string): Promise<boolean | null> {
  const name = basename(folder);
  const turned = name.replace(/[a-z]/gi, (letter) =>
    letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
  );
  if (turned === name) return null;
  const [own, other] = await Promise.all([stat(folder), stat(join(dirname(folder), turned)).catch(() => null)]);
  return other !== null && other.ino === own.ino && other.dev === own.dev;
}
