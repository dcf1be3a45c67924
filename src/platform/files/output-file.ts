import { constants, writeFileSync } from 'node:fs';
import { realpath, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { writeAtomic } from './atomic-file.ts';
import { stat as linkStat, orNull } from './files.ts';

const DESCRIPTOR = /^\/(?:dev|proc\/self)\/fd\/(\d+)$/;
const STANDARD: Readonly<Record<string, number>> = { '/dev/stdout': 1, '/dev/stderr': 2 };

/** The open file that a path names by its number, as a shell's `>(program)` gives one; null for any other path. */
export function descriptorAt(path: string): number | null {
  const number = DESCRIPTOR.exec(path)?.[1];
  return number === undefined ? (STANDARD[path] ?? null) : Number(number);
}

/**
 * Writes where a person said: what a link leads to is written, devices, pipes and open files are written into, and only
 * a plain or a new file is replaced in one step. No folder is made.
 * @param path absolute
 * @throws Error in words for people where there is no place for a file, else the file system's own
 */
export async function writeOutput(path: string, text: string): Promise<void> {
  const descriptor = descriptorAt(path);
  // Opened once more it would be emptied, or, where it is a socket, not be opened at all.
  if (descriptor !== null) return writeFileSync(descriptor, text);
  const found = await orNull(stat(path));
  if (found?.isDirectory()) throw new Error('it is a folder');
  if (found?.isFile()) return writeAtomic(await realpath(path), text, { fsync: false });
  if (found) return writeFile(path, text, { flag: constants.O_WRONLY });
  const folder = dirname(path);
  if (!(await orNull(stat(folder)))?.isDirectory()) throw new Error(`there is no folder ${folder}`);
  // A link that leads to nothing yet: what it leads to is made.
  if ((await linkStat(path)) !== null) return writeFile(path, text);
  return writeAtomic(path, text, { fsync: false });
}
