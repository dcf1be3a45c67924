import type { GuardContext } from '../guard/api.ts';
import type { HookContext, HookEvent, RunFacts } from './api.ts';

/** What the guard has to know of a hook call. */
export function guardContext(event: HookEvent, context: HookContext): GuardContext {
  const { profile, root, home, temp, paths, run, guard } = context;
  return {
    profile,
    cwd: paths.resolve('.', event.cwd || root),
    root,
    home,
    temp,
    isProtected: (path) => run !== null && isProtected(path, run),
    ...(run?.hostFiles ? { hostFiles: run.hostFiles } : {}),
    user: guard,
  };
}

/**
 * Whether settle would put a file back. Asked in lower case as well: where the file system ignores case, another
 * spelling is the same file, even one that does not exist yet.
 */
export function isProtected(relative: string, run: RunFacts): boolean {
  return run.isProtected(relative) || run.isProtected(relative.toLowerCase());
}
