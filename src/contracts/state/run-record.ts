import type { BreakerState, CheckResult, EndReason, Mode, RunLimits, Verdict, WaitReason } from '../model.ts';

/**
 * Like journal, ledger and steering, it lies in `<git dir>/ralph/` and survives crashes and rollbacks; each has a
 * version.
 */
export const RUN_RECORD_VERSION = 1;

/** `run.json`: the run that holds, or last held, the lock. */
export interface RunRecord {
  readonly version: typeof RUN_RECORD_VERSION;
  readonly run: string;
  /** Epoch ms. */
  readonly startedAt: number;
  readonly host: string;
  readonly pid: number;
  readonly specDir: string;
  /** The checks before the first iteration; null until they have run. */
  readonly baseline: readonly CheckResult[] | null;
  /** Checks found in the project's files at the start, when no setting names any; they apply for the whole run. */
  readonly foundChecks?: readonly string[];
  readonly maxIterations: number;
  /** The limits at its start, flags included; absent in older records. */
  readonly limits?: RunLimits;
  /** What the run waits for now, so that a wait continues after a crash; null or absent when it works. */
  readonly waiting?: Waiting | null;
  /** Milliseconds of finished waits; they count for `maxDuration`. */
  readonly waitedMs?: number;
  /**
   * Epoch ms since the last turn ended normally and no process works on the run: it is between two turns. Else null or
   * absent.
   */
  readonly between?: number | null;
  /** Notices that a person has to know, for the end of the run; each only once. */
  readonly remembered?: readonly RememberedNotice[];
  /** Ignored folders that disappeared in an iteration; the next run has to know them too. */
  readonly gone?: readonly string[];
  /**
   * A signal cut the last turn short, though it ended cleanly: the process that takes the next one prepares and
   * announces itself.
   */
  readonly cutShort?: true;
  /** null while it continues; a record without an end is resumed. */
  readonly ended: { readonly reason: EndReason; readonly at: number } | null;
}

export interface RememberedNotice {
  readonly text: string;
  readonly fix?: string;
  readonly times: number;
}

export interface Waiting {
  readonly why: WaitReason;
  /** Epoch ms. */
  readonly since: number;
  /** Epoch ms; null until a person says so. */
  readonly until: number | null;
}

/** `.ralph-active`: tells other processes, including hooks, that a run is live. */
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

/** What a run does: `starting` until the first iteration, `between` iterations, `settling` an agent's results. */
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

/** `.ralph/status.json`: the state of a run at a glance. */
export interface StatusFile {
  readonly version: typeof STATUS_VERSION;
  readonly run: string;
  /** ISO 8601, like the other times. */
  readonly updatedAt: string;
  /** `between` two turns: the last ended normally, and no process works on the run. */
  readonly state: 'running' | 'between' | 'ended';
  /** Time of the first start; null when it is unknown. */
  readonly startedAt: string | null;
  readonly pid: number | null;
  readonly phase: RunPhase;
  readonly iteration: number;
  /** Iterations that count against `maxIterations`. */
  readonly used: number;
  readonly maxIterations: number;
  /** Of the current iteration, like `story`, `agent`, `tool` and `contextPercent`. */
  readonly mode: Mode | null;
  readonly story: { readonly id: string; readonly title: string } | null;
  readonly agent: string | null;
  /** The tool in use, at most a second old; null while the agent thinks. */
  readonly tool: { readonly name: string; readonly what: string } | null;
  readonly contextPercent: number | null;
  readonly waiting: { readonly why: WaitReason; readonly until: string | null; readonly text: string } | null;
  readonly breaker: BreakerState;
  readonly lastVerdict: Verdict | null;
  /** The count of each verdict; verdicts that never occurred are absent. */
  readonly verdicts: Readonly<Partial<Record<Verdict, number>>>;
  readonly stories: { readonly total: number; readonly done: number; readonly blocked: number };
  readonly costUsd: number;
  readonly ended: { readonly reason: EndReason; readonly exitCode: number; readonly summary: string } | null;
}
