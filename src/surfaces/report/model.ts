import type { EndReason, Mode, Usage, Verdict } from '../../contracts/index.ts';
import type { IterationView, StoryView, TestRunView, TimeSpent } from '../../rules/view/index.ts';

/**
 * Version of the JSON that `ralph report --format json` prints; it rises when a field is removed or changes its
 * meaning.
 */
export const REPORT_VERSION = 1;

/** What a report needs beyond the events of its runs. */
export interface ReportExtra {
  readonly project: string;
  readonly generatedAt: number;
  /** The version of ralph that writes the report. */
  readonly version: string;
  /** Rescues that still exist, by name: `<run>/<iteration>-<k>`. */
  readonly rescues: readonly { readonly name: string; readonly date: number; readonly subject: string }[];
  /** Whether a run without an end is live; null when unknown. */
  readonly live: boolean | null;
  /** Archived loops, oldest first: for reports on several runs. */
  readonly archives?: readonly Archive[];
}

/** One run, or all runs of a workspace together, for people and programs. Times are epoch milliseconds. */
export interface Report {
  readonly version: typeof REPORT_VERSION;
  readonly generatedAt: number;
  readonly ralph: string;
  readonly project: string;
  /** Oldest first. */
  readonly runs: readonly RunLine[];
  readonly outcome: Outcome;
  readonly branch: string | null;
  readonly isolation: string | null;
  readonly time: TimeSpent & { readonly from: number | null; readonly to: number | null };
  /** null: no agent reported its cost. */
  readonly costUsd: number | null;
  readonly usage: Usage;
  /** Share of the input that came from the cache, 0 to 1; null without any input. */
  readonly cacheShare: number | null;
  readonly stories: readonly ReportStory[];
  readonly storyCounts: { readonly total: number; readonly done: number; readonly blocked: number };
  readonly iterations: readonly ReportIteration[];
  readonly verdicts: readonly { readonly verdict: Verdict; readonly count: number }[];
  readonly modes: readonly {
    readonly mode: Mode;
    readonly count: number;
    readonly durationMs: number;
    readonly costUsd: number;
    /** Mean of the tokens that the loop added to a context, story left out; null in older logs. */
    readonly added: number | null;
  }[];
  readonly reviews: ReviewFigures;
  /** Failed iterations, the most frequent cause first; `example`: the reason of the last one, in full. */
  readonly rejections: readonly { readonly cause: string; readonly count: number; readonly example: string }[];
  readonly rescues: readonly ReportRescue[];
  readonly budgets: readonly BudgetUse[];
  readonly agents: readonly AgentUse[];
  /** Of very many only the last are listed: `count` is all of them. */
  readonly checks: { readonly count: number; readonly commands: readonly CheckUse[] };
  /** Test runs that agents started themselves. */
  readonly tests: { readonly count: number; readonly outcomes: Readonly<Record<TestOutcome, number>> };
  readonly denials: {
    readonly count: number;
    /** `example`: the last command or path that it refused. */
    readonly rules: readonly { readonly rule: string; readonly count: number; readonly example: string }[];
  };
  readonly notices: readonly { readonly at: number; readonly level: 'warning' | 'error'; readonly text: string }[];
  readonly needs: readonly Need[];
}

export type TestOutcome = TestRunView['outcome'];

export interface RunLine {
  readonly run: string;
  readonly startedAt: number | null;
  readonly reason: EndReason | null;
  readonly exitCode: number | null;
  readonly iterations: number;
  readonly storiesDone: number;
  readonly storiesTotal: number;
  readonly durationMs: number;
  readonly costUsd: number | null;
}

export interface Outcome {
  readonly tone: 'good' | 'warn' | 'bad';
  /** Two or three words: `complete`, `out of iterations`. */
  readonly label: string;
  /** One sentence. */
  readonly sentence: string;
  /** Of the last run; null while it is live, or when it was interrupted. */
  readonly reason: EndReason | null;
  readonly exitCode: number | null;
}

export interface ReportStory
  extends Pick<StoryView, 'id' | 'title' | 'state' | 'blocked' | 'iterations' | 'durationMs'> {
  /** Reviews in these runs that ended with a decision. */
  readonly reviews: number;
  readonly rejected: number;
  readonly costUsd: number | null;
}

/** `durationMs` and `verdict` are null while it is active, or when it was interrupted. */
export interface ReportIteration
  extends Pick<
    IterationView,
    'iteration' | 'mode' | 'story' | 'title' | 'startedAt' | 'durationMs' | 'verdict' | 'reason' | 'costUsd'
  > {
  readonly run: string;
  readonly commit: string | null;
  readonly rescue: string | null;
}

export interface ReviewFigures {
  /** Reviews that approved or asked for changes. */
  readonly decided: number;
  /** Stories with at least one of those. */
  readonly stories: number;
  /** Stories that their first review approved. */
  readonly approvedAtOnce: number;
  /** Stories approved in the end, by the number of reviews needed: `rounds[0]` needed one. */
  readonly rounds: readonly number[];
  /** Reviews that ended without a decision. */
  readonly undecided: number;
}

export interface ReportRescue {
  readonly name: string;
  readonly iteration: number;
  readonly story: string;
  readonly reason: string;
  /** false: it was pruned since. */
  readonly kept: boolean;
  /** null when the name is not safe to type into a shell. */
  readonly show: string | null;
  readonly restore: string | null;
}

export interface BudgetUse {
  readonly name: string;
  readonly unit: 'count' | 'usd' | 'tokens' | 'ms';
  readonly used: number;
  readonly limit: number;
}

export interface AgentUse {
  readonly agent: string;
  readonly model: string | null;
  readonly iterations: number;
  readonly good: number;
  readonly durationMs: number;
  readonly costUsd: number | null;
  readonly tokens: number;
}

export interface CheckUse {
  readonly command: string;
  readonly runs: number;
  readonly red: number;
  readonly meanMs: number;
}

export interface Need {
  readonly what: string;
  /** What to type; null when there is no single command for it. */
  readonly command: string | null;
}

export interface Archive {
  /** Epoch ms. */
  readonly at: number;
  /** Name of its folder. */
  readonly label: string;
  /** Ids; the next loop may reuse them. */
  readonly stories: readonly string[];
}
