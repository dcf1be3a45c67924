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
  try {
    const full = `${root}/${path}`;
    const [realRoot, real] = await Promise.all([fs.realpath(root), orNull(fs.realpath(full))]);
    if (real === null) return none((await orNull(fs.lstat(full))) === null ? null : 'is a link that leads nowhere');
    if (!isWithin(realRoot, real)) return LEADS_OUT;
    const file = await fs.open(real, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
    try {
      // Once more: whoever writes there may have put a link on the way between the look and the opening.
      if (!isWithin(realRoot, await placeOf(file, real))) return LEADS_OUT;
      const stats = await file.stat();
      const { size } = stats;
      if (!stats.isFile()) return none('is no plain file');
      if (size > maxBytes) return none(`is larger than ${Math.floor(maxBytes / MIB)} MB`);
      return { bytes: await firstBytes(file, size) };
    } finally {
      await file.close();
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    return none(code === 'ENOENT' || code === 'ENOTDIR' ? null : `cannot be read (${code})`);
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

const LEADS_OUT = none('is a link, or lies behind one, that leads out of the work tree');

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
