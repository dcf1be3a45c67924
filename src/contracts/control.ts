import type { NewStory, RequestedChange, RunLimits, StoryDecision, StoryFields } from './model.ts';

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
    }
  /** Request changes in a story's work; `title` and `run` as for a decision. */
  | {
      readonly do: 'reject';
      readonly story: string;
      readonly changes: readonly RequestedChange[];
      readonly title: string;
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

/**
 * `steering.jsonl`: what people told a run from outside, one line each, appended by the commands and read by the loop.
 * `run` is the run that it is meant for; a note and an answer are for the next run.
 */
export type SteeringEntry = {
  readonly version: typeof STEERING_VERSION;
  /** Unique, sortable by time. */
  readonly id: string;
  /** Epoch ms. */
  readonly at: number;
} /** With `story`: for the next prompt about that story. */ & (
  | { readonly kind: 'note'; readonly text: string; readonly story?: string }
  | { readonly kind: 'pause' | 'resume'; readonly run: string }
  | { readonly kind: 'stop'; readonly run: string; readonly now: boolean }
  | { readonly kind: 'limits'; readonly run: string; readonly limits: Partial<RunLimits> }
  | { readonly kind: 'answer'; readonly question: string; readonly text: string }
  /** Close the circuit breaker; applies to the next run, like an answer. */
  | { readonly kind: 'circuit-reset' }
  /** A person decides about a story: done in its present state, or to be worked on again. Applies to the next run. */
  | { readonly kind: 'story'; readonly story: string; readonly decision: StoryDecision }
  /** A person takes a story out of the loop. Applies to the next run. */
  | { readonly kind: 'block'; readonly story: string; readonly reason: string }
  /** A person wants a story's work changed: it is no longer approved. Applies to the next run. */
  | { readonly kind: 'reject'; readonly story: string; readonly changes: readonly RequestedChange[] }
  /** A person adds a story to the backlog of that spec folder. Applies to the next run. */
  | { readonly kind: 'add'; readonly folder: string; readonly story: NewStory }
  /** A person changes fields of a story, or with null removes it. Applies to the next run. */
  | { readonly kind: 'edit'; readonly folder: string; readonly story: string; readonly fields: StoryFields | null }
  /** A person says that something a review found does not matter. Applies to the next run. */
  | { readonly kind: 'waive'; readonly story: string; readonly finding: string; readonly reason: string }
);
