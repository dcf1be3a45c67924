import type { NewStory } from './model.ts';
import { anyObject, as, type Members, object, text, truth } from './shape.ts';
import type { RunLimits } from './state/run-record.ts';

/** What a person may do to a work tree's run from monitor or dashboard; each action is also a command. */
export type ControlAction =
  | { readonly do: 'pause' | 'resume' | 'reset-circuit' }
  | { readonly do: 'stop'; readonly now: boolean }
  /** Included once, in the next prompt. */
  | { readonly do: 'note'; readonly text: string }
  | { readonly do: 'limits'; readonly limits: Partial<RunLimits> }
  | { readonly do: 'answer'; readonly question: string; readonly text: string; readonly run: string }
  | {
      readonly do: 'story';
      readonly story: string;
      readonly decision: StoryDecision;
      /** The title as shown: the same id may belong to another story by now. */
      readonly title: string;
      /** The run whose stories were shown: `ralph archive` restarts the ids. */
      readonly run: string;
    };

/** The result, in a sentence for the person. */
export interface ControlAnswer {
  readonly text: string;
}

/**
 * Carries out an action in the work tree at `root`.
 * @throws RalphError saying why it cannot be done, e.g. that no run is under way
 */
export type Operate = (root: string, action: ControlAction) => Promise<ControlAnswer>;

export const STEERING_VERSION = 1;

/** What people tell a run, by kind. `run` is the one that it is meant for; the others are for the next run, whichever. */
export const STEERING = {
  note: { text },
  pause: { run: text },
  resume: { run: text },
  stop: { run: text, now: truth },
  limits: { run: text, limits: as<Partial<RunLimits>>(anyObject) },
  answer: { question: text, text },
  /** Close the circuit breaker. */
  'circuit-reset': {},
  /** Done in its present state, or to be worked on again. */
  story: { story: text, decision: as<StoryDecision>(text) },
  /** Out of the loop. */
  block: { story: text, reason: text },
  /** Into the backlog of that spec folder. */
  add: { folder: text, story: as<NewStory>(object({ id: text, title: text })) },
  /** Something that a review found does not matter. */
  waive: { story: text, finding: text, reason: text },
};

/** A line of `steering.jsonl`, appended by the commands and read by the loop. */
export type SteeringEntry = {
  readonly version: typeof STEERING_VERSION;
  /** Unique, sortable by time. */
  readonly id: string;
  /** Epoch ms. */
  readonly at: number;
} & Members<typeof STEERING, 'kind'>;

/**
 * `approve`: done by a person's decision instead of a review. `reopen`: to be done again, with fresh attempts and
 * reviews.
 */
export type StoryDecision = 'approve' | 'reopen';
