import { dirname } from 'node:path';
import { realPath, stat } from '../../../platform/index.ts';
import type { InsideWorkspace } from '../port.ts';
import type { ViewEntry } from './entry.ts';
import { foldersBetween, isWithin, normalPath } from './entry.ts';

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

/** The entries of the work tree, in mount order. Every path is real, none a link. Pure. */
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
  /** The nearest named place decides. */
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
