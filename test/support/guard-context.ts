import type { GuardContext } from '../../src/rules/guard/index.ts';

/** A context for tests: a run in `/projects/app`, home elsewhere, and a few protected files. */
export function guardContext(changes: Partial<GuardContext> = {}): GuardContext {
  return {
    profile: 'run',
    cwd: '/projects/app',
    root: '/projects/app',
    home: '/home/dev',
    temp: ['/tmp'],
    isProtected: (path) => PROTECTED.test(path),
    user: { allow: [], deny: [] },
    ...changes,
  };
}

const PROTECTED =
  /^(\.git(\/.*)?|\.ralph-active|\.ralph\/(config\.json|(state|runs)\/.*)|\.claude\/settings(\.local)?\.json|ralph\/(prd|prompt)\.md)$/;
