import { dirname, isAbsolute, normalize, resolve } from 'node:path';
import { isWithin } from '../../../platform/index.ts';

/**
 * One item visible inside. A list of them is in mount order: a later one covers earlier ones. Every `from` exists on
 * the host and is not a symbolic link; the renderer of the list makes the parents of `at`.
 */
export type ViewEntry =
  /** A host file or folder. */
  | { readonly kind: 'read' | 'write'; readonly from: string; readonly at: string }
  /** Its own folder in memory, gone with the sandbox. */
  | { readonly kind: 'empty'; readonly at: string }
  /** A visible file or folder that must not be read. */
  | { readonly kind: 'mask'; readonly at: string; readonly of: 'file' | 'folder' }
  | { readonly kind: 'link'; readonly at: string; readonly target: string }
  | { readonly kind: 'folder'; readonly at: string };

/** Does the same file or folder as on the host exist inside, at the same path? */
export function isSeen(view: readonly ViewEntry[], path: string): boolean {
  const last = behindLinks(view, path);
  return (last?.kind === 'read' || last?.kind === 'write') && last.from === last.at;
}

/** Does it come from the host read-only, so that no process inside can change it? */
export function isReadOnlyInside(view: readonly ViewEntry[], path: string): boolean {
  return behindLinks(view, path)?.kind === 'read';
}

function behindLinks(view: readonly ViewEntry[], path: string): ViewEntry | undefined {
  const last = covering(view, path);
  return last?.kind === 'link' ? behindLinks(view, resolve(last.target, `.${path.slice(last.at.length)}`)) : last;
}

/** Can it exist inside? Only a place that is certainly empty rules it out. */
export function isThere(view: readonly ViewEntry[], path: string): boolean {
  const last = covering(view, path);
  if (last === undefined || last.kind === 'mask') return false;
  return last.at === path || (last.kind !== 'empty' && last.kind !== 'folder');
}

/** The last entry at or above a path decides its content. */
function covering(view: readonly ViewEntry[], path: string): ViewEntry | undefined {
  return view.findLast(({ at }) => isWithin(path, at));
}

/** The folders on the way from `folder` to `path`, without either end, outermost first; none when it is not below. */
export function foldersBetween(folder: string, path: string): readonly string[] {
  if (path === folder || !isWithin(path, folder)) return [];
  const between: string[] = [];
  for (let at = dirname(path); at !== folder; at = dirname(at)) between.unshift(at);
  return between;
}

/** An absolute path without `.`, `..`, doubled and trailing slashes; null when it is relative or empty. */
export function normalPath(path: string | undefined): string | null {
  if (path === undefined || !isAbsolute(path)) return null;
  const normal = normalize(path);
  return normal.length > 1 && normal.endsWith('/') ? normal.slice(0, -1) : normal;
}

/** The paths that are not below another of them, without duplicates, in their order. */
export function outermost(paths: readonly string[]): readonly string[] {
  return [...new Set(paths)].filter((path) => !paths.some((other) => other !== path && isWithin(path, other)));
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
