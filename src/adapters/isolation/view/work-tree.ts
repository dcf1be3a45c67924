import { realPath, stat } from '../../../platform/index.ts';
import type { InsideWorkspace } from '../port.ts';
import { isWithin, normalPath, treeEntries, type ViewEntry } from './entry.ts';

/**
 * The work tree, writable, with its read-only places.
 *
 * The folders above a read-only place are mounted too, each onto itself: a folder that is a mount point cannot be moved
 * away together with the place it protects, to be replaced by another.
 *
 * @param own our own files, in any place; those in the work tree are read-only there
 */
export async function workTreeEntries(
  { root, readOnly, writable }: InsideWorkspace,
  own: readonly string[],
): Promise<readonly ViewEntry[]> {
  const real = await realPath(root);
  const inTree = await Promise.all([...readOnly, ...own].map((path) => placeInTree(path, root, real)));
  const open = await Promise.all(writable.map((path) => placeInTree(path, root, real)));
  return treeEntries({
    root: real,
    // If the root is reached through a link, both its paths must work inside.
    alias: real === root ? null : root,
    readOnly: inTree.filter((path) => path !== null),
    writable: open.filter((path) => path !== null),
  });
}

/**
 * The real path of a place, if that is in the work tree; null when it does not exist. The target of a link is protected
 * in its place: the link itself cannot be, and a link in the work tree must not make anything outside visible.
 */
async function placeInTree(path: string, root: string, real: string): Promise<string | null> {
  const normal = normalPath(path);
  if (normal === null || !(isWithin(normal, root) || isWithin(normal, real))) return null;
  const place = await realPath(normal).catch(() => null);
  if (place === null || place === real || !isWithin(place, real)) return null;
  const kind = (await stat(place))?.kind;
  return kind === 'file' || kind === 'dir' ? place : null;
}
