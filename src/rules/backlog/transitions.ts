import type { Violation } from '../../contracts/model.ts';
import { ALWAYS } from './transitions/always.ts';
import { BY_REVIEWERS } from './transitions/by-reviewers.ts';
import { BY_WORKERS } from './transitions/by-workers.ts';
import type { TransitionContext, TransitionRule } from './transitions/rule.ts';

/** The transition table of the backlog: what an agent may not do to it, by mode. */
export const TRANSITIONS: readonly TransitionRule[] = [...ALWAYS, ...BY_WORKERS, ...BY_REVIEWERS];

/** All violations of the transition table, in the table's order. */
export function checkTransitions(context: TransitionContext): Violation[] {
  return TRANSITIONS.filter((rule) => rule.modes === undefined || rule.modes.includes(context.mode)).flatMap((rule) =>
    rule.check(context),
  );
}
