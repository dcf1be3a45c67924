import type { AgentError, AgentResult, ProviderLimit, StopReason } from './agent.ts';
import type {
  BreakerState,
  CheckResult,
  Claim,
  EndReason,
  Mode,
  NewStory,
  RedGreenProof,
  StoryEdit,
  TamperFinding,
  TestCounts,
  Usage,
  Verdict,
  Violation,
} from './model.ts';

/** What survives everything, in `<git dir>/ralph/`. Each file has a version; the loop is the only writer. */

export const JOURNAL_VERSION = 1;
export const LEDGER_VERSION = 1;
export const RUN_RECORD_VERSION = 1;
export const STEERING_VERSION = 1;

/** `run.json`: the run that holds, or last held, the lock. */
export interface RunRecord {
  readonly version: typeof RUN_RECORD_VERSION;
  readonly run: string;
  /** Epoch ms. */
  readonly startedAt: number;
  readonly host: string;
  readonly pid: number;
  readonly specDir: string;
  /** The checks before the first iteration; null until they ran. */
  readonly baseline: readonly CheckResult[] | null;
  readonly maxIterations: number;
  /** What it was started with, flags included; absent in older records. */
  readonly limits?: RunLimits;
  /** What the run waits for now, so that a wait goes on after a crash; null or absent when it works. */
  readonly waiting?: Waiting | null;
  /** Milliseconds of the waits that are over; they count for `maxDuration`. */
  readonly waitedMs?: number;
  /** Epoch ms since which nobody works on it, in order: it is between two turns. Null or absent while somebody does. */
  readonly between?: number | null;
  /** A signal cut the last turn short, in order: the next one prepares and announces itself, whoever takes it. */
  readonly cutShort?: true;
  /** null while it goes on; a record without an end is resumed. */
  readonly ended: { readonly reason: EndReason; readonly at: number } | null;
}

/** Why the gate is closed for now. */
export type WaitReason = 'pause' | 'cooldown' | 'limit' | 'rate';

export interface Waiting {
  readonly why: WaitReason;
  /** Epoch ms. */
  readonly since: number;
  /** Epoch ms; null until a person says so. */
  readonly until: number | null;
}

/** A budget that is spent. `story` concerns one story, the others the run. */
export interface Overrun {
  readonly budget: 'cost' | 'tokens' | 'duration' | 'story-cost';
  /** US dollars, tokens or milliseconds. */
  readonly spent: number;
  readonly limit: number;
  /** The budget is one that runs share: `limit` is what was left of it, `spent` what this run used since. */
  readonly shared?: true;
}

/** How the agent's part of an iteration went; enough to settle it after a crash. */
export interface AgentOutcome {
  readonly result: AgentResult;
  readonly stopped: StopReason | null;
  readonly startedAt: number;
  readonly endedAt: number;
  /** Files of the git dir that the agent had changed; they were put back before any git of ours ran. */
  readonly gitDirChanges?: readonly string[];
  /** Who did the work. */
  readonly agent?: string;
  readonly model?: string | null;
  /** Epoch ms of every start of an agent process, the tries after transient errors included. */
  readonly calls?: readonly number[];
  /** Characters of text the agent wrote, over all tries. */
  readonly outputChars?: number;
  /** The budget whose overrun ended the agent. */
  readonly overrun?: Overrun | null;
  /** Ids of the notes that its prompt carried. */
  readonly steers?: readonly string[];
  /** What hooks and tools recorded while it worked; absent when nothing stood beside the agent. */
  readonly desk?: DeskRecord;
  /** No agent was started: the loop only runs the checks of a story that waits for a review under `--skip-review`. */
  readonly verifyOnly?: true;
}

/** What an agent said through its tools and did in front of its hooks. Plain data: the journal carries it. */
export interface DeskRecord {
  /** At least one hook call arrived: the client really asks. */
  readonly hooked: boolean;
  /** The last claim made through a tool. */
  readonly claim: Claim | null;
  /** Stories added or split through tools, each judged when it was made. */
  readonly edits: readonly StoryEdit[];
  /** For the progress log: entries, and lines for the patterns on top. */
  readonly notes: readonly string[];
  readonly patterns: readonly string[];
  /** The last test run that was seen. */
  readonly tests: SeenTests | null;
  /** The last message with a status block that a Stop saw: after a refusal agents rarely repeat it. Null when none. */
  readonly statusMessage: string | null;
  /** What `rollback: immediate` took back last, as a full ref. */
  readonly rescue: string | null;
}

export interface SeenTests extends TestCounts {
  readonly command: string;
  /** As the agent's client reports it: of the whole command line, which may hide a failure. */
  readonly exitCode: number;
  /** Last lines of its output when it did not pass, else empty. */
  readonly tail: string;
}

/** Identity of an iteration; the same in every phase of its journal entry. */
export interface IterationHeader {
  readonly version: typeof JOURNAL_VERSION;
  readonly run: string;
  readonly iteration: number;
  readonly lane: number;
  readonly mode: Mode;
  readonly story: string;
  /** 1-based attempt of this story. */
  readonly attempt: number;
  /** Epoch ms; every commit date of this iteration derives from it. */
  readonly startedAt: number;
  /** A serialised `Checkpoint` of adapters/git. */
  readonly checkpoint: unknown;
  /** A serialised `TrustSnapshot` of adapters/git. */
  readonly trust: unknown;
}

/**
 * `journal/lane-<n>.json`: one iteration, rewritten at each phase. Recovery:
 * `checkpointed` → roll back; `agent-ended` → settle again if the tree is still `afterTree`, else roll back;
 * `planned` → apply the plan (idempotent); `done` → nothing.
 */
export type JournalEntry = IterationHeader &
  (
    | ({ readonly phase: 'checkpointed' } & AtWork)
    | { readonly phase: 'agent-ended'; readonly outcome: AgentOutcome; readonly afterTree: string }
    | { readonly phase: 'planned'; readonly plan: Plan }
    | { readonly phase: 'done'; readonly verdict: Verdict }
  );

/** What is known of an agent that works: enough to charge for it should nobody see its end. */
export interface AtWork {
  readonly agent?: string;
  /** Epoch ms of every start. */
  readonly calls?: readonly number[];
  /** What it has reported so far, over all tries. */
  readonly usage?: Usage;
  readonly costUsd?: number | null;
}

/** Everything conclude will do, decided before it does any of it. */
export interface Plan {
  readonly verdict: Verdict;
  /** Return to the checkpoint before anything else; what was there is in `rescue`. */
  readonly rollBack: boolean;
  /** The prepared commit, still reachable from no branch; null when this iteration makes none. */
  readonly commit: string | null;
  /** Number of files in the commit. */
  readonly commitFiles: number;
  /** The checkpoint's branch as the agent left it. */
  readonly agentHead: string;
  readonly agentCommits: string | null;
  readonly afterTree: string;
  /** Full ref of what this iteration took away: made while planning, so that applying the plan can lose nothing. */
  readonly rescue: string | null;
  readonly rescuedFiles: number;
  /** New text of the files that only the loop writes; null deletes. Written after a roll-back too. */
  readonly files: Readonly<Record<string, string | null>>;
  readonly ledger: LedgerIteration;
}

/** `ledger.jsonl`: one fsynced line per iteration and per decision of a person; idempotent by (run, iteration). */
export type LedgerLine =
  | LedgerIteration
  | LedgerReset
  | LedgerCircuitReset
  | LedgerAnswer
  | LedgerWaiver
  | LedgerAddition;

export interface LedgerIteration {
  readonly version: typeof LEDGER_VERSION;
  readonly kind: 'iteration';
  readonly run: string;
  readonly iteration: number;
  readonly story: string;
  readonly mode: Mode;
  readonly verdict: Verdict;
  /** For the breaker. */
  readonly counts: 'good' | 'bad' | 'ignored';
  /** True when the story's review state changed: its attempts start again. */
  readonly stateChanged: boolean;
  /** What the story became, when it changed: `needs_review`, `approved`, … */
  readonly state: string | null;
  readonly blocked: string | null;
  readonly reason: string;
  /** What the agent's process ended with, when that was not success. */
  readonly error: AgentError | null;
  readonly startedAt: number;
  readonly durationMs: number;
  readonly costUsd: number | null;
  readonly usage: Usage;
  readonly agent: string;
  readonly model: string | null;
  readonly commit: string | null;
  readonly subject: string | null;
  /** Files outside backlog and progress log in that commit: 0 means that nothing was really done. */
  readonly workFiles: number;
  readonly rescue: string | null;
  readonly checks: readonly {
    readonly command: string;
    readonly ok: boolean;
    readonly exitCode: number | null;
    readonly durationMs: number;
    /** Absent in older lines, and where it ran no tests. */
    readonly tests?: TestCounts;
  }[];
  readonly violations: readonly Violation[];
  /** Commit that a review looked at: the next one is told whether anything changed since. */
  readonly reviewed?: string;
  /** Only with `proof: "red-green"`. `base`: the commit before the story's first; `tree`: what it was tried with. */
  readonly proof?: { readonly base: string; readonly tree?: string; readonly result: RedGreenProof };
  /** Epoch ms of every start of an agent process; absent in older lines: one, at `startedAt`. */
  readonly calls?: readonly number[];
  /** Characters of text the agent wrote. */
  readonly outputChars?: number;
  /** The provider's limit that ended it. */
  readonly limit?: ProviderLimit | null;
  /** The budget whose overrun ended it. */
  readonly overrun?: Overrun | null;
  /** Somebody else than the loop ended the agent: by SIGINT, or by SIGTERM. The run ends too. */
  readonly agentStopped?: 'interrupted' | 'terminated';
  /** Ids of the notes of a person that its prompt carried. */
  readonly steers?: readonly string[];
  /** Stories that were left when the agent called everything done; the next prompt tells it so. */
  readonly falseCompletion?: number;
  /** What analyzers of plugins found in its answer; the next prompt tells it. */
  readonly pluginNotes?: readonly string[];
  /** What its answer signalled; only without a backlog, where signals decide. */
  readonly signals?: Signals;
  /** The last test run seen inside the agent's session. */
  readonly tests?: TestCounts & { readonly command: string };
  /** Weakened tests and checks in the iteration's diff; the reviewer is told. */
  readonly tampering?: readonly TamperFinding[];
  /** Fed into the next prompt of this story; null when there is nothing to say. */
  readonly failure: FailureContext | null;
}

/**
 * A person decided about a story: its attempts start again. It settles every such word that was said before it.
 */
export interface LedgerReset {
  readonly version: typeof LEDGER_VERSION;
  readonly kind: 'reset';
  readonly story: string;
  readonly at: number;
  /** Absent for `ralph stories reset` without a run. */
  readonly decision?: StoryDecision | 'block';
}

/** A person closed the breaker. */
export interface LedgerCircuitReset {
  readonly version: typeof LEDGER_VERSION;
  readonly kind: 'circuit-reset';
  readonly at: number;
}

/** A person answered the question that a story was parked with. */
export interface LedgerAnswer {
  readonly version: typeof LEDGER_VERSION;
  readonly kind: 'answer';
  /** `Q<n>`. */
  readonly question: string;
  readonly story: string;
  readonly text: string;
  readonly at: number;
}

/** A person said that a finding does not matter. It settles every such word about it that was said before. */
export interface LedgerWaiver {
  readonly version: typeof LEDGER_VERSION;
  readonly kind: 'waiver';
  readonly story: string;
  /** Id of the finding. */
  readonly finding: string;
  readonly at: number;
}

/** A story that a person added while a run was under way. */
export interface LedgerAddition {
  readonly version: typeof LEDGER_VERSION;
  readonly kind: 'addition';
  /** Id of the word that asked for it. */
  readonly word: string;
  /** The id that it got; null when it could not be added. */
  readonly story: string | null;
  readonly at: number;
}

/** What an agent's answer signals about the end of the work. */
export interface Signals {
  /** The whole work is called finished, with a confidence of at least 100. */
  readonly done: boolean;
  /** Words of completion were found, sure or not. */
  readonly completion: boolean;
  /** The iteration did nothing but run or write tests. */
  readonly testOnly: boolean;
  /** 0 and up; 100 is sure, 20 says that work went on. */
  readonly confidence: number;
}

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

/** The limits that can be changed while a run goes on, named as in the configuration. */
export interface RunLimits {
  readonly maxIterations: number;
  readonly calls: number;
  readonly maxCost: number | null;
  readonly maxTokens: number | null;
  readonly maxDurationMs: number | null;
  readonly storyMaxCost: number | null;
  readonly storyMaxAttempts: number;
}

export interface FailureContext {
  readonly reason: string;
  /** Failing checks with the tail of their output. */
  readonly checks: readonly CheckResult[];
  readonly rescue: string | null;
  /** `git diff --stat` of what was rolled back. */
  readonly diffStat: string | null;
}

/** `.ralph-active`: tells others, and hooks, that a run is live. */
export interface ActiveMarker {
  readonly version: 1;
  readonly timestamp: string;
  readonly heartbeat: string;
  readonly pid: number;
  readonly host: string;
  readonly run: string;
  readonly maxIterations: number;
  readonly isolation: string;
  readonly skipReview: boolean;
  readonly reviewCap: number;
  readonly iterationMode: Mode | null;
  readonly story: string | null;
  readonly preIterationSnapshot: Readonly<
    Record<string, { readonly passes: boolean; readonly reviewStatus: string | null; readonly reviewCount: number }>
  > | null;
  readonly controlServer: string | null;
}

export const STATUS_VERSION = 2;

/** What a run does: `starting` until the first iteration, `between` iterations, `settling` what an agent left. */
export type RunPhase =
  | 'starting'
  | 'baseline'
  | 'checkpoint'
  | 'agent'
  | 'settling'
  | 'check'
  | 'concluding'
  | 'retrying'
  | 'waiting'
  | 'between'
  | 'ended';

/** `.ralph/status.json`: the state at one look. */
export interface StatusFile {
  readonly version: typeof STATUS_VERSION;
  readonly run: string;
  /** ISO 8601, like the other times. */
  readonly updatedAt: string;
  /** `between` two turns: nobody works on it, in order. */
  readonly state: 'running' | 'between' | 'ended';
  /** Of the first start; null when it is not known. */
  readonly startedAt: string | null;
  readonly pid: number | null;
  readonly phase: RunPhase;
  readonly iteration: number;
  /** Iterations that count against `maxIterations`. */
  readonly used: number;
  readonly maxIterations: number;
  /** Of the iteration under way, like `story`, `agent`, `tool` and `contextPercent`. */
  readonly mode: Mode | null;
  readonly story: { readonly id: string; readonly title: string } | null;
  readonly agent: string | null;
  /** The tool in use, at most a second late; null while the agent thinks. */
  readonly tool: { readonly name: string; readonly what: string } | null;
  readonly contextPercent: number | null;
  readonly waiting: { readonly why: WaitReason; readonly until: string | null; readonly text: string } | null;
  readonly breaker: BreakerState;
  readonly lastVerdict: Verdict | null;
  /** How often each verdict was given; those that never were are absent. */
  readonly verdicts: Readonly<Partial<Record<Verdict, number>>>;
  readonly stories: { readonly total: number; readonly done: number; readonly blocked: number };
  readonly costUsd: number;
  readonly ended: { readonly reason: EndReason; readonly exitCode: number; readonly summary: string } | null;
}
