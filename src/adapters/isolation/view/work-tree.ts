import { dirname } from 'node:path';
import { realPath, stat } from '../../../platform/files/files.ts';
import type { InsideWorkspace } from '../port.ts';
import type { ViewEntry } from './entry.ts';
import { foldersBetween, isWithin, normalPath } from './paths.ts';

/**
 * The work tree, writable, with what is read-only in it.
 *
 * The folders on the way to a read-only one are mounted too, each on itself: a folder that is a mount point cannot be
 * moved away, and with it what it protects, for something else to be put in its place.
 *
 * @param own what belongs to us, wherever it is; what lies in the work tree is read-only there
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
    // Where the root is reached by a link, both its names must work inside.
    alias: real === root ? null : root,
    readOnly: inTree.filter((path) => path !== null),
    writable: open.filter((path) => path !== null),
  });
}

/** What is in the work tree, in the order of mounting. Every path real, none a link. Pure. */
export function treeEntries(tree: {
  readonly root: string;
  readonly alias: string | null;
  readonly readOnly: readonly string[];
  readonly writable: readonly string[];
}): readonly ViewEntry[] {
  const { root, alias, readOnly, writable } = tree;
  const named = new Map<string, 'read' | 'write'>([
    [root, 'write'],
    ...readOnly.map((path) => [path, 'read'] as const),
    ...writable.map((path) => [path, 'write'] as const),
  ]);
  /** The nearest that was named decides. */
  const kindOf = (path: string): 'read' | 'write' => named.get(path) ?? (path === '/' ? 'read' : kindOf(dirname(path)));
  const between = readOnly.flatMap((path) => foldersBetween(root, path));
  // In a read-only folder nothing can be moved anyway.
  const pinned = between.filter((path) => !named.has(path) && kindOf(path) === 'write');
  const inTree = [...new Set([...named.keys(), ...pinned])]
    .sort(shortestFirst)
    .map((path) => ({ kind: kindOf(path), from: path, at: path }));
  const again = inTree.map((entry) => ({ ...entry, at: `${alias}${entry.at.slice(root.length)}` }));
  return alias === null ? inTree : [...inTree, ...again];
}

const shortestFirst = (a: string, b: string) => a.length - b.length;

/**
 * Where a path really is, if that is in the work tree; null when it is not there. What a link leads to is protected in
 * its place: the link itself cannot be, and nothing outside is shown because a link in the work tree says so.
 */
async function placeInTree(path: string, root: string, real: string): Promise<string | null> {
  const normal = normalPath(path);
  if (normal === null || !(isWithin(normal, root) || isWithin(normal, real))) return null;
  const place = await realPath(normal).catch(() => null);
  if (place === null || place === real || !isWithin(place, real)) return null;
  const kind = (await stat(place))?.kind;
  return kind === 'file' || kind === 'dir' ? place : null;
}
