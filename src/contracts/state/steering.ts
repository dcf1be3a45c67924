import type { NewStory } from '../model.ts';
import type { RunLimits } from './run-record.ts';

export const STEERING_VERSION = 1;

/**
 * `steering.jsonl`: what people told a run from outside, one line each, appended by the commands and read by the
 * loop. `run` is the run it is meant for; a note and an answer are for whichever comes next.
 */
export type SteeringEntry = {
  readonly version: typeof STEERING_VERSION;
  /** Unique, sortable by time. */
  readonly id: string;
  /** Epoch ms. */
  readonly at: number;
} & (
  | { readonly kind: 'note'; readonly text: string }
  | { readonly kind: 'pause' | 'resume'; readonly run: string }
  | { readonly kind: 'stop'; readonly run: string; readonly now: boolean }
  | { readonly kind: 'limits'; readonly run: string; readonly limits: Partial<RunLimits> }
  | { readonly kind: 'answer'; readonly question: string; readonly text: string }
  /** Close the circuit breaker; for whichever run comes next, like an answer. */
  | { readonly kind: 'circuit-reset' }
  /** A person decides about a story: done as it is, or to be worked on again. For whichever run comes next. */
  | { readonly kind: 'story'; readonly story: string; readonly decision: StoryDecision }
  /** A person takes a story out of the loop. For whichever run comes next. */
  | { readonly kind: 'block'; readonly story: string; readonly reason: string }
  /** A person adds a story to the backlog of that spec folder. For whichever run comes next. */
  | { readonly kind: 'add'; readonly folder: string; readonly story: NewStory }
  /** A person says that something a review found does not matter. For whichever run comes next. */
  | { readonly kind: 'waive'; readonly story: string; readonly finding: string; readonly reason: string }
);

/** `approve`: done, by a person's word instead of a review. `reopen`: to do again, with fresh attempts and reviews. */
export type StoryDecision = 'approve' | 'reopen';
