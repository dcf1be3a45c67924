import type { RunLimits } from './state/run-record.ts';
import type { StoryDecision } from './state/steering.ts';

/** What a person may do to a work tree's run from monitor or dashboard; each also is a command. */
export type ControlAction =
  | { readonly do: 'pause' | 'resume' | 'reset-circuit' }
  | { readonly do: 'stop'; readonly now: boolean }
  /** Carried once, by the next prompt. */
  | { readonly do: 'note'; readonly text: string }
  | { readonly do: 'limits'; readonly limits: Partial<RunLimits> }
  | { readonly do: 'answer'; readonly question: string; readonly text: string; readonly run: string }
  | {
      readonly do: 'story';
      readonly story: string;
      readonly decision: StoryDecision;
      /** As it was shown: an id alone may be that of another story by now. */
      readonly title: string;
      /** The run whose stories were shown: `ralph archive` begins the ids again. */
      readonly run: string;
    };

/** What came of it, in a sentence for the person. */
export interface ControlAnswer {
  readonly text: string;
}

/**
 * Does it, in the work tree at `root`.
 * @throws RalphError saying why it cannot be done, e.g. that no run is under way
 */
export type Operate = (root: string, action: ControlAction) => Promise<ControlAnswer>;
