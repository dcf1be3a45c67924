import type {
  BreakerState,
  EndReason,
  ExitCodeValue,
  Mode,
  PersonNeed,
  StoryRow,
  Usage,
  Verdict,
} from '../../contracts/model.ts';
import type { RunLimits, WaitReason } from '../../contracts/state/run-record.ts';
import type { RunPhase } from '../../contracts/state/status-file.ts';

/**
 * A run as people look at it, folded from its events: the one model behind monitor, dashboard, report, replay, metrics
 * and statistics. Plain data, so that it travels as JSON and a fold goes on from it. Times are epoch milliseconds.
 *
 * Its size is bounded by the number of iterations and stories, never by the number of events: of what may come without
 * end it keeps the last {@link KEPT} and a count.
 */
export interface RunView {
  readonly run: string;
  /** null until a `run-start` was seen: the start of the log is lost. */
  readonly startedAt: number | null;
  readonly lastEventAt: number;
  /** How often it was started: resumed runs more than once. A turn after another is no start. */
  readonly starts: number;
  readonly version: string | null;
  readonly specDir: string | null;
  readonly backlog: string | null;
  /** As the start names them, in order. */
  readonly agent: string | null;
  readonly model: string | null;
  readonly isolation: string | null;
  readonly branch: string | null;
  readonly pid: number | null;
  readonly lonePrompt: boolean;
  readonly maxIterations: number;
  /** Iterations that count against `maxIterations`. */
  readonly used: number;
  readonly limits: RunLimits | null;
  readonly estimate: { readonly iterations: number; readonly costUsd: number | null; readonly enough: boolean } | null;
  readonly now: Now;
  readonly breaker: {
    readonly state: BreakerState;
    readonly reason: string;
    readonly evidence: readonly string[];
    readonly mend: readonly string[];
  };
  /** Epoch ms of agent processes started within the hour before `lastEventAt`, earlier runs' included. */
  readonly calls: readonly number[];
  /** In backlog order; of a log without `backlog` events those that were worked on. */
  readonly stories: readonly StoryView[];
  readonly storyCounts: { readonly total: number; readonly done: number; readonly blocked: number };
  /** In order; the one under way last. */
  readonly iterations: readonly IterationView[];
  /** Of all processes that ended, and of the one at work as far as it told. */
  readonly costUsd: number;
  readonly usage: Usage;
  readonly waitedMs: number;
  /** Since when nobody works on the run, in order: it is between two turns. null while somebody does, or should. */
  readonly betweenSince: number | null;
  /** Of the times between turns that are over. */
  readonly betweenMs: number;
  readonly denials: Kept<DenialView>;
  readonly tests: Kept<TestRunView>;
  readonly checks: Kept<CheckView>;
  readonly notices: Kept<NoticeView>;
  /** What a person decided or said from outside. */
  readonly steered: Kept<{ readonly at: number; readonly iteration: number; readonly text: string }>;
  /** Questions that agents asked in this run. */
  readonly questions: readonly {
    readonly id: string;
    readonly story: string;
    readonly text: string;
    readonly at: number;
  }[];
  /** What speaks for an end; the last word of each kind. */
  readonly exit: ExitIndicators;
  readonly ended: {
    readonly at: number;
    readonly reason: EndReason;
    readonly exitCode: ExitCodeValue;
    readonly summary: string;
    readonly needs: readonly PersonNeed[];
  } | null;
}

/** Entries of one kind that are kept of an endless number. */
export const KEPT = 300;

/** The last of many. */
export interface Kept<T> {
  readonly count: number;
  readonly last: readonly T[];
}

/** What happens at this moment. */
export interface Now {
  readonly phase: RunPhase;
  readonly since: number;
  readonly iteration: number;
  readonly mode: Mode | null;
  readonly story: string | null;
  readonly title: string | null;
  readonly agent: string | null;
  readonly model: string | null;
  /** When the agent process was started. */
  readonly agentSince: number | null;
  /** The tool in use; null while the agent thinks. `what` is one line: a file, a command. */
  readonly tool: {
    readonly id: string;
    readonly name: string;
    readonly what: string;
    readonly since: number;
  } | null;
  /** The file that a tool named last. */
  readonly file: string | null;
  /** The check that runs. */
  readonly check: string | null;
  /** Between turns, what the next one waits for. */
  readonly waiting: { readonly why: WaitReason; readonly until: number | null; readonly text: string } | null;
  /** Tokens that the window of the model at work holds; null while nobody told. */
  readonly window: number | null;
  /** Tokens in the model's window. `window` and `percent` are null while nobody told how large it is. */
  readonly context: { readonly tokens: number; readonly window: number | null; readonly percent: number | null } | null;
  /** US dollars that the process at work has told so far. */
  readonly costUsd: number;
}

export interface StoryView extends StoryRow {
  readonly iterations: number;
  readonly costUsd: number;
  readonly durationMs: number;
  readonly lastVerdict: Verdict | null;
}

export interface IterationView {
  readonly iteration: number;
  readonly mode: Mode;
  readonly story: string;
  readonly title: string;
  readonly attempt: number;
  readonly startedAt: number;
  /** null while it goes on, or when it was cut off. */
  readonly endedAt: number | null;
  readonly agent: string | null;
  readonly model: string | null;
  readonly verdict: Verdict | null;
  readonly reason: string;
  readonly claim: string | null;
  /** Why its story was set aside when it ended, e.g. `question Q1: …`; null when it was not. */
  readonly blocked: string | null;
  readonly durationMs: number | null;
  /** How long agent processes and checks took of that. */
  readonly agentMs: number;
  readonly checkMs: number;
  /** Of all its processes, and of the one at work as far as it told. */
  readonly costUsd: number | null;
  readonly usage: Usage;
  /** What those before the one at work used; null while none is at work. */
  readonly earlier: { readonly costUsd: number | null; readonly usage: Usage } | null;
  readonly turns: number | null;
  /** Highest share of the context window that was seen, in percent. */
  readonly contextPercent: number | null;
  readonly commit: { readonly id: string; readonly subject: string; readonly files: number } | null;
  readonly rescue: string | null;
  readonly denials: number;
  /** What ralph's own checks counted last. */
  readonly tests: { readonly passed: number; readonly failed: number } | null;
  /** What the agent reported last of tests that it ran: its word, and no more. */
  readonly testsSaid: { readonly passed: number; readonly failed: number } | null;
  readonly checks: { readonly ok: number; readonly red: number };
  /** Lines of the event log, 0-based, the header being 0: of its first event, and behind its last. */
  readonly from: number;
  readonly to: number;
}

export interface DenialView {
  readonly at: number;
  readonly iteration: number;
  readonly tool: string;
  readonly rule: string;
  readonly reason: string;
  readonly subject: string;
}

/** A test run that the agent reported by a hook: its word, which decides nothing. */
export interface TestRunView {
  readonly at: number;
  readonly iteration: number;
  readonly command: string;
  readonly outcome: 'pass' | 'fail' | 'error' | 'no-tests';
  readonly framework: string | null;
  readonly passed: number | null;
  readonly failed: number | null;
  readonly confidence: number;
}

export interface CheckView {
  readonly at: number;
  readonly iteration: number;
  readonly command: string;
  readonly ok: boolean;
  readonly exitCode: number | null;
  readonly durationMs: number;
  readonly baselineRed: boolean;
}

export interface NoticeView {
  readonly at: number;
  readonly iteration: number;
  readonly level: 'info' | 'warning' | 'error';
  /** Violations, refused hosts, failing plugins and hooks, tampering and plain notices, in words. */
  readonly text: string;
}

export interface ExitIndicators {
  readonly falseCompletions: number;
  readonly stopRefusals: number;
  /** Without a backlog: what the last answer signalled. */
  readonly signals: {
    readonly done: boolean;
    readonly completion: boolean;
    readonly testOnly: boolean;
    readonly confidence: number;
  } | null;
  /** The condition that was met. */
  readonly condition: string | null;
}
