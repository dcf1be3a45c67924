import type { Mode } from '../contracts/model.ts';
import type { Selection } from '../rules/backlog/api.ts';

/** What an iteration is about: the selection, with its mode. */
export type Work = Extract<Selection, { kind: 'work' | 'verify' }>;

/** A story that is only verified counts as a review without a reviewer. */
export function modeOf(work: Work): Mode {
  return work.kind === 'work' ? work.mode : 'review';
}
