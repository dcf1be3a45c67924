import type { CheckResult, EndReason } from '../model.ts';

/** Like journal, ledger and steering, it lies in `<git dir>/ralph/` and survives everything; each has a version. */
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
  /** The checks before the first iteration; null until they ran. */
  readonly baseline: readonly CheckResult[] | null;
  /** Checks that the project's files named at the start, where nobody names any; they hold for the whole run. */
  readonly foundChecks?: readonly string[];
  readonly maxIterations: number;
  /** What it was started with, flags included; absent in older records. */
  readonly limits?: RunLimits;
  /** What the run waits for now, so that a wait goes on after a crash; null or absent when it works. */
  readonly waiting?: Waiting | null;
  /** Milliseconds of the waits that are over; they count for `maxDuration`. */
  readonly waitedMs?: number;
  /** Epoch ms since which nobody works on it, in order: it is between two turns. Null or absent while somebody does. */
  readonly between?: number | null;
  /** Notices that a person has to know, for the end of the run; each once. */
  readonly remembered?: readonly RememberedNotice[];
  /** Ignored folders that are missing since an iteration; also the next run has to know. */
  readonly gone?: readonly string[];
  /** A signal cut the last turn short, in order: the next one prepares and announces itself, whoever takes it. */
  readonly cutShort?: true;
  /** null while it goes on; a record without an end is resumed. */
  readonly ended: { readonly reason: EndReason; readonly at: number } | null;
}

export interface RememberedNotice {
  readonly text: string;
  readonly mend?: string;
  readonly times: number;
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

/** A budget that is spent. `story` concerns one story, the others the run. */
export interface Overrun {
  readonly budget: 'cost' | 'tokens' | 'duration' | 'story-cost';
  /** US dollars, tokens or milliseconds. */
  readonly spent: number;
  readonly limit: number;
  /** The budget is one that runs share: `limit` is what was left of it, `spent` what this run used since. */
  readonly shared?: true;
}
