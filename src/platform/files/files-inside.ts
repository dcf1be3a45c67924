import { constants } from 'node:fs';
import * as fs from 'node:fs/promises';
import { sep } from 'node:path';
import { orNull } from './files.ts';

const MIB = 1024 * 1024;

/** What was found: the bytes, or why there are none. `why` completes "the file …"; null when nothing is there. */
export type FoundInside = { readonly bytes: Buffer } | { readonly bytes: null; readonly why: string | null };

/**
 * Reads a file of a folder in which somebody may write who cannot read all that this process can: a link in the file's
 * place, or in that of a folder on the way, must not fetch for them what lies elsewhere. Read is only a plain file
 * whose real path is below the real `root` and not in a git dir, and which has at most `maxBytes`.
 */
export async function readInside(root: string, path: string, maxBytes: number): Promise<FoundInside> {
  const opened = await openInside(root, path);
  if (opened.file === null) return none(opened.why);
  const { file, size } = opened;
  try {
    return size > maxBytes
      ? none(`is larger than ${Math.floor(maxBytes / MIB)} MB`)
      : { bytes: await firstBytes(file, size) };
  } catch (error) {
    return none(whyNot(error));
  } finally {
    await file.close();
  }
}

/** A plain file that is open for reading, as it was when it was opened; or why there is none, as in {@link FoundInside}. */
export type OpenedInside =
  | {
      readonly file: fs.FileHandle;
      /** Bytes. */
      readonly size: number;
      /** Of the file itself: another one in its place has another. */
      readonly identity: string;
    }
  | { readonly file: null; readonly why: string | null };

/** Opens a file as {@link readInside} does, for files that are read in parts. Whoever calls closes it. */
export async function openInside(root: string, path: string): Promise<OpenedInside> {
  try {
    const full = `${root}/${path}`;
    const [realRoot, real] = await Promise.all([fs.realpath(root), orNull(fs.realpath(full))]);
    if (real === null) return refused((await orNull(fs.lstat(full))) === null ? null : 'is a link that leads nowhere');
    if (!isWithin(realRoot, real)) return refused(LEADS_OUT);
    const file = await fs.open(real, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
    try {
      const stats = await file.stat();
      // Once more: whoever writes there may have put a link on the way between the look and the opening.
      const isInside = isWithin(realRoot, await placeOf(file, real));
      if (isInside && stats.isFile()) return { file, size: stats.size, identity: `${stats.dev}:${stats.ino}` };
      await file.close();
      return refused(isInside ? 'is no plain file' : LEADS_OUT);
    } catch (error) {
      await file.close();
      throw error;
    }
  } catch (error) {
    return refused(whyNot(error));
  }
}

/** Whether a real path is the root or below it, git dirs left out: they hold what an isolation covers. */
export function isWithin(realRoot: string, real: string): boolean {
  if (real !== realRoot && !real.startsWith(realRoot + sep)) return false;
  return !real.slice(realRoot.length).split(sep).includes('.git');
}

function none(why: string | null): FoundInside {
  return { bytes: null, why };
}

function refused(why: string | null): OpenedInside {
  return { file: null, why };
}

function whyNot(error: unknown): string | null {
  const { code } = error as NodeJS.ErrnoException;
  if (code === undefined) throw error;
  return code === 'ENOENT' || code === 'ENOTDIR' ? null : `cannot be read (${code})`;
}

const LEADS_OUT = 'is a link, or lies behind one, that leads out of the work tree';

/** Where an open file is: Linux knows it of the file itself, elsewhere the path is resolved again. */
async function placeOf(file: fs.FileHandle, path: string): Promise<string> {
  return (await orNull(fs.readlink(`/proc/self/fd/${file.fd}`))) ?? fs.realpath(path);
}

/** No more than was there when it was measured, however fast somebody appends. */
async function firstBytes(file: fs.FileHandle, size: number): Promise<Buffer> {
  const bytes = Buffer.alloc(size);
  let filled = 0;
  for (let read = -1; read !== 0 && filled < size; filled += read) {
    read = (await file.read(bytes, filled, size - filled, filled)).bytesRead;
  }
  return bytes.subarray(0, filled);
}
