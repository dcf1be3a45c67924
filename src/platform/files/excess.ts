import { lstatSync, readdirSync } from 'node:fs';

/** A file that is larger cannot be kept in time; apparent size, so that a sparse one counts whole. */
const MOST_BYTES = 2 * 1024 ** 3;
/** Of a path below the root: longer or deeper ones cannot be named, and with that not be deleted either. */
const MOST_CHARACTERS = 2_000;
const MOST_DEPTH = 100;
/** Made anew by tools, and ignored: nothing of the loop's walks through them. */
const PASSED_OVER: ReadonlySet<string> = new Set(['.git', 'node_modules']);
/** Set-user-id and set-group-id. */
const PRIVILEGED = 0o6000;
/** Entries between two looks at what else there is to do. */
const AT_ONCE = 2_000;

/** What of a tree is beyond what a checkpoint can hold. */
export interface Excess {
  /** Relative to the root. */
  readonly path: string;
  readonly why: 'huge' | 'deep' | 'device';
  /** Apparent, in bytes. */
  readonly bytes: number;
}

export interface Found {
  readonly excess: readonly Excess[];
  /** Files that give those who start them the rights of their owner or group. */
  readonly privileged: readonly string[];
}

/**
 * Looks through a tree for what was changed since, and is too large or too deep to be saved, rolled back or deleted by
 * its name, or has no business there. By `lstat` alone; the time of change is the kernel's, which no program sets.
 * @param since epoch ms
 */
export async function findExcess(root: string, since: number): Promise<Found> {
  const excess: Excess[] = [];
  const privileged: string[] = [];
  const queue: string[] = [''];
  let seen = 0;
  for (let folder = queue.pop(); folder !== undefined; folder = queue.pop()) {
    for (const entry of entriesOf(root, folder)) {
      seen += 1;
      if (seen % AT_ONCE === 0) await new Promise((resolve) => setImmediate(resolve));
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory()) {
        if (PASSED_OVER.has(entry.name)) continue;
        if (path.length > MOST_CHARACTERS || path.split('/').length > MOST_DEPTH)
          excess.push({ path, why: 'deep', bytes: 0 });
        else queue.push(path);
        continue;
      }
      if (entry.isSymbolicLink()) continue;
      const found = lstatSync(`${root}/${path}`, { throwIfNoEntry: false });
      if (found === undefined || found.ctimeMs < since) continue;
      if (entry.isBlockDevice() || entry.isCharacterDevice()) excess.push({ path, why: 'device', bytes: 0 });
      else if (entry.isFile() && found.size > MOST_BYTES) excess.push({ path, why: 'huge', bytes: found.size });
      else if (entry.isFile() && (found.mode & PRIVILEGED) !== 0) privileged.push(path);
    }
  }
  return { excess, privileged };
}

/** None where the folder is gone, or closed to us. */
function entriesOf(root: string, folder: string) {
  try {
    return readdirSync(folder === '' ? root : `${root}/${folder}`, { withFileTypes: true });
  } catch {
    return [];
  }
}
