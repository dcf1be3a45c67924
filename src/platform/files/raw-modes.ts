import { lstatSync, type Stats } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';

/** What a path is, and its permission bits. */
export interface RawMode {
  readonly kind: 'file' | 'dir' | 'other';
  readonly mode: number;
}

/** Looked at in one go; then others have their turn. */
const AT_ONCE = 1000;
const PERMISSIONS = 0o7777;
/** The same in every encoding. */
const ORDINARY = /^[\x20-\x7e]*$/;

/**
 * Looks at many paths below a folder, links not followed; null where nothing is. Synchronous calls: a tenth of what the
 * others cost, of which each goes through a thread.
 * @param paths relative, one character a byte
 */
export async function rawModes(root: string, paths: readonly string[]): Promise<readonly (RawMode | null)[]> {
  const found: (RawMode | null)[] = [];
  for (const path of paths) {
    if (found.length > 0 && found.length % AT_ONCE === 0) await nextTurn();
    found.push(look(root, path));
  }
  return found;
}

function look(root: string, path: string): RawMode | null {
  const full = ORDINARY.test(path)
    ? `${root}/${path}`
    : Buffer.concat([Buffer.from(`${root}/`), Buffer.from(path, 'latin1')]);
  try {
    const stats = lstatSync(full, { throwIfNoEntry: false });
    return stats === undefined ? null : { kind: kindOf(stats), mode: stats.mode & PERMISSIONS };
  } catch (error) {
    // Below a file, or in a folder that nobody may look into: git told what it could not read.
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOTDIR' || code === 'EACCES' || code === 'ENOENT') return null;
    throw error;
  }
}

function kindOf(stats: Stats): RawMode['kind'] {
  if (stats.isFile()) return 'file';
  return stats.isDirectory() ? 'dir' : 'other';
}
