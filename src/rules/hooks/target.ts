import type { HookContext, HookEvent } from './api.ts';

/** A file that a tool is about to touch. */
export interface Target {
  /** Absolute, symbolic links resolved. */
  readonly path: string;
  /** Relative to the work tree; null outside. */
  readonly relative: string | null;
}

/** Which file a path means, wherever the agent's shell stands and whatever links lead there. */
export function targetOf(asked: string, event: HookEvent, context: HookContext): Target {
  const { root, home, paths } = context;
  const full = /^~(?=\/|$)/.test(asked) ? home + asked.slice(1) : asked;
  const path = paths.resolve(full, event.cwd || root);
  return { path, relative: path === root ? '' : isBelow(path, root) ? path.slice(root.length + 1) : null };
}

/** Whether a path lies in a folder, at any depth. Both absolute. */
export function isBelow(path: string, folder: string): boolean {
  return path.startsWith(folder.endsWith('/') ? folder : `${folder}/`);
}
