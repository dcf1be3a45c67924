import * as fs from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Bytes of a socket's path that every system takes: macOS has 104, the closing zero among them. */
const LONGEST_PATH = 103;

/** Bytes kept for the name of a socket in the folder. */
const LONGEST_NAME = 20;

/**
 * A new private folder (0700) for sockets, its name starting with `prefix`; symbolic links resolved. In the system's
 * temp folder where the paths of sockets in it stay short enough, else in /tmp or /var/tmp.
 */
export async function makeSocketFolder(prefix: string): Promise<string> {
  for (const parent of [tmpdir(), '/tmp', '/var/tmp']) {
    const real = await fs.realpath(parent).catch(() => null);
    // mkdtemp adds six characters.
    if (real === null || Buffer.byteLength(join(real, `${prefix}XXXXXX`)) + 1 + LONGEST_NAME > LONGEST_PATH) continue;
    const made = await fs.mkdtemp(join(real, prefix)).catch(() => null);
    if (made !== null) return made;
  }
  throw new Error('no temp folder has a path short enough for a socket');
}
