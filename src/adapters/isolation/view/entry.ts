import { resolve } from 'node:path';
import { isWithin } from './paths.ts';

/**
 * One thing that is to be seen inside. A list of them is in the order of mounting: a later one covers earlier ones.
 * Every `from` exists on the host and is no symbolic link; whoever renders the list makes what `at` needs above it.
 */
export type ViewEntry =
  /** A host file or folder. */
  | { readonly kind: 'read' | 'write'; readonly from: string; readonly at: string }
  /** A folder in memory of its own, gone with the sandbox. */
  | { readonly kind: 'empty'; readonly at: string }
  /** A file or folder in what is seen that must not be read. */
  | { readonly kind: 'mask'; readonly at: string; readonly of: 'file' | 'folder' }
  /** A symbolic link. */
  | { readonly kind: 'link'; readonly at: string; readonly target: string }
  /** A folder that is only there. */
  | { readonly kind: 'folder'; readonly at: string };

/** Is there inside, at the same path, what the host has there? */
export function isSeen(view: readonly ViewEntry[], path: string): boolean {
  const last = covering(view, path);
  if (last?.kind === 'link') return isSeen(view, resolve(last.target, `.${path.slice(last.at.length)}`));
  return (last?.kind === 'read' || last?.kind === 'write') && last.from === last.at;
}

/** Is there inside what the host handed in to be read, and nobody inside can change? */
export function isHanded(view: readonly ViewEntry[], path: string): boolean {
  const last = covering(view, path);
  if (last?.kind === 'link') return isHanded(view, resolve(last.target, `.${path.slice(last.at.length)}`));
  return last?.kind === 'read';
}

/** May anything be there inside? What is empty for sure is not. */
export function isThere(view: readonly ViewEntry[], path: string): boolean {
  const last = covering(view, path);
  if (last === undefined || last.kind === 'mask') return false;
  return last.at === path || (last.kind !== 'empty' && last.kind !== 'folder');
}

/** The last entry at or above a path decides what is there. */
function covering(view: readonly ViewEntry[], path: string): ViewEntry | undefined {
  return view.findLast(({ at }) => isWithin(path, at));
}
