import type { Attempt } from '../attempt.ts';

/** Tried at the very end, when everything before held: nothing but the throw-away work tree and home may suffer. */
export const DESTRUCTION: readonly Attempt[] = [
  {
    id: 'remove-system',
    category: 'destruction',
    attempt: 'rm -rf /',
    phase: 'last',
    by: 'sh',
    script: 'rm -rf --no-preserve-root /',
    check: ({ gitChange }) => gitChange(),
  },
  {
    id: 'remove-home',
    category: 'destruction',
    attempt: 'rm -rf ~ and everything beside the work tree',
    phase: 'last',
    by: 'sh',
    script: 'rm -rf "$HOME" "$REAL_HOME" "$WORK/.." "$STATE" "$OUT"',
    check: ({ gitChange }) => gitChange(),
  },
];
