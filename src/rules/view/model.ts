import type {
  AddedTokens,
  AgentErrorKind,
  BreakerState,
  EndReason,
  ExitCodeValue,
  Mode,
  RunLimits,
  RunPhase,
  Signals,
  StoryRow,
  Usage,
  UserNeed,
  Verdict,
  WaitReason,
} from '../../contracts/index.ts';

/**
 * The view of a run, folded from its events: the one model behind monitor, dashboard, report, replay, metrics and
 * statistics. Plain data, so that it can be sent as JSON and a fold can continue from it. Times are epoch milliseconds.
 *
 * Its size is bounded by the number of iterations and stories, never by the number of events: of unlimited entries it
 * keeps the last {@link KEPT} and a count.
 */
export interface RunView {
  readonly run: string;
  /** null when no `run-start` was seen: the start of the log is lost. */
  readonly startedAt: number | null;
  readonly lastEventAt: number;
  /** How often it was started: resumed runs more than once. A further turn is not a start. */
  readonly starts: number;
  readonly version: string | null;
  readonly specDir: string | null;
  readonly backlog: string | null;
  /** As named by the start event, in order. */
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
    readonly fix: readonly string[];
  };
  /** Epoch ms of agent processes started within the hour before `lastEventAt`, including those of earlier runs. */
  readonly calls: readonly number[];
  /** In backlog order. */
  readonly stories: readonly StoryView[];
  readonly storyCounts: { readonly total: number; readonly done: number; readonly blocked: number };
  /** In order; the current one last. */
  readonly iterations: readonly IterationView[];
  /** Cost of all ended processes, and of the current one as far as reported. */
  readonly costUsd: number;
  readonly usage: Usage;
  readonly waitedMs: number;
  /** Since when the run is between two turns, after a clean turn end; null while a process works on it, or should. */
  readonly betweenSince: number | null;
  /** Total of the finished times between turns. */
  readonly betweenMs: number;
  readonly denials: Kept<DenialView>;
  readonly tests: Kept<TestRunView>;
  readonly checks: Kept<CheckView>;
  readonly notices: Kept<NoticeView>;
  /** Decisions and messages from a person outside the run. */
  readonly steered: Kept<Entry & { readonly text: string }>;
  /** Questions that agents asked in this run. */
  readonly questions: readonly {
    readonly id: string;
    readonly story: string;
    readonly text: string;
    readonly at: number;
  }[];
  /** Indications of an end; the last one of each kind. */
  readonly exit: {
    readonly falseCompletions: number;
    readonly stopRefusals: number;
    /** Without a backlog: the signals of the last answer. */
    readonly signals: Signals | null;
    readonly condition: string | null;
  };
  readonly ended: {
    readonly at: number;
    readonly reason: EndReason;
    readonly exitCode: ExitCodeValue;
    readonly summary: string;
    readonly needs: readonly UserNeed[];
  } | null;
}

/** The number of entries of each kind that are kept. */
export const KEPT = 300;

/** The last entries of many. */
export interface Kept<T> {
  readonly count: number;
  readonly last: readonly T[];
}

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
  /** Milliseconds without any output after which the loop stops it; null while unknown. */
  readonly idleTimeoutMs: number | null;
  /** The next try of what failed, the agent's process or a request to its provider; `at` is null while unknown. */
  readonly retry: { readonly at: number | null } | null;
  /** The tool in use; null while the agent thinks. `what` is one line: a file, a command. */
  readonly tool: { readonly id: string; readonly name: string; readonly what: string; readonly since: number } | null;
  /** The last file that a tool named. */
  readonly file: string | null;
  readonly check: string | null;
  /** What the next turn waits for, between turns. */
  readonly waiting: { readonly why: WaitReason; readonly until: number | null; readonly text: string } | null;
  /** The window size of the current model in tokens; null while unknown. */
  readonly window: number | null;
  /** Tokens in the model's window. `window` and `percent` are null while its size is unknown. */
  readonly context: { readonly tokens: number; readonly window: number | null; readonly percent: number | null } | null;
  /** US dollars that the current process has reported so far. */
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
  /** null while it is running, or when it was cut off. */
  readonly endedAt: number | null;
  readonly agent: string | null;
  readonly model: string | null;
  readonly verdict: Verdict | null;
  readonly reason: string;
  readonly claim: string | null;
  /** How its last process failed; null when it did not. */
  readonly error: AgentErrorKind | null;
  /** Why its story was set aside when it ended, e.g. `question Q1: …`; null if it was not. */
  readonly blocked: string | null;
  readonly durationMs: number | null;
  /** Duration of agent processes and checks within the iteration. */
  readonly agentMs: number;
  readonly checkMs: number;
  /** Cost of all its processes, including the current one as far as reported. */
  readonly costUsd: number | null;
  readonly usage: Usage;
  /** Usage of the processes before the current one; null while none is running. */
  readonly earlier: { readonly costUsd: number | null; readonly usage: Usage } | null;
  readonly turns: number | null;
  /** What the loop added to the contexts of its processes; null when no event says it. */
  readonly added: AddedTokens | null;
  /** Highest observed share of the context window, in percent. */
  readonly contextPercent: number | null;
  readonly commit: { readonly id: string; readonly subject: string; readonly files: number } | null;
  readonly rescue: string | null;
  readonly denials: number;
  /** The last test counts from ralph's own checks. */
  readonly tests: { readonly passed: number; readonly failed: number } | null;
  /** The last test counts that the agent reported: a claim only. */
  readonly testsSaid: { readonly passed: number; readonly failed: number } | null;
  readonly checks: { readonly ok: number; readonly red: number };
  /** Lines of the event log, 0-based, the header being 0: its first event, and the line after its last. */
  readonly from: number;
  readonly to: number;
}

interface Entry {
  readonly at: number;
  readonly iteration: number;
}

export interface DenialView extends Entry {
  readonly tool: string;
  readonly rule: string;
  readonly reason: string;
  readonly subject: string;
}

/** A test run that the agent reported through a hook: a claim, which decides nothing. */
export interface TestRunView extends Entry {
  readonly command: string;
  readonly outcome: 'pass' | 'fail' | 'error' | 'no-tests' | 'unknown';
  readonly framework: string | null;
  readonly passed: number | null;
  readonly failed: number | null;
  readonly confidence: number;
}

export interface CheckView extends Entry {
  readonly command: string;
  readonly ok: boolean;
  readonly exitCode: number | null;
  readonly durationMs: number;
  readonly baselineRed: boolean;
}

export interface NoticeView extends Entry {
  readonly level: 'info' | 'warning' | 'error';
  /** Violations, refused hosts, failing plugins and hooks, tampering and plain notices, as text. */
  readonly text: string;
}
