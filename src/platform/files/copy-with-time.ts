import * as fs from 'node:fs/promises';
import { orNull } from './files.ts';

/** What a time loses on its way through a number of seconds, and more; seconds. */
const ROUNDING = 2e-6;

/**
 * Copies a file with its permission bits and its time of change. The copy's time may be earlier by microseconds, never
 * later: who trusts what is older than a file must not be made to trust more.
 * @returns false when there is no such file
 */
export async function copyWithTime(from: string, to: string): Promise<boolean> {
  const found = await orNull(fs.stat(from));
  if (!found?.isFile()) return false;
  await fs.copyFile(from, to);
  await fs.utimes(to, found.atimeMs / 1000, found.mtimeMs / 1000 - ROUNDING);
  return true;
}
