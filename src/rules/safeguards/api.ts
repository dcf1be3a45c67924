import type { BreakerState, EndReason } from '../../contracts/model.ts';
import type { LedgerLine } from '../../contracts/state/ledger.ts';
import type { Overrun, RunLimits, WaitReason } from '../../contracts/state/run-record.ts';

/**
 * What the safeguards conclude. All of them are folds over the ledger, so that a run which was stopped and started
 * again at any point goes on as if it had not been, and deleting `.ralph/` resets nothing.
 */

/** The circuit breaker as the ledger leaves it. */
export interface Breaker {
  readonly state: BreakerState;
  /** What brought it there; null while closed. */
  readonly cause: 'no-progress' | 'same-error' | 'blocked-twice' | 'output-decline' | null;
  /** One sentence; empty while closed. */
  readonly reason: string;
  /** The iterations it concluded that from, oldest first, one line each: what was tried and how it ended. */
  readonly evidence: readonly string[];
  /** What a person can do, best first. */
  readonly mend: readonly string[];
  /** Epoch ms of the end of the iteration that brought it there; null while closed. */
  readonly since: number | null;
  /** Bad iterations in a row since the last good one, or since a story was blocked. */
  readonly badInRow: number;
  /** The error seen most often since the last good iteration, normalised, and how often. */
  readonly sameError: { readonly error: string; readonly times: number } | null;
}

/** Agent processes of the last hour. */
export interface Rate {
  readonly used: number;
  readonly limit: number;
  /** Epoch ms from which another one may start; null when it may now. */
  readonly freeAt: number | null;
}

/** What was used so far. */
export interface Spent {
  /** US dollars; iterations that did not say count as nothing. */
  readonly costUsd: number;
  /** Of all kinds. */
  readonly tokens: number;
}

/** What is left of budgets that runs share; null: there is none. */
export interface LeftBudgets {
  /** US dollars. */
  readonly costUsd: number | null;
  readonly tokens: number | null;
}

/** Budgets that a run shares with others, as far as it knows. */
export interface Shared {
  /** As it was told. */
  readonly left: LeftBudgets;
  /** What this run used of that since. */
  readonly used: Spent;
}

/** Which agent does the next iteration. */
export type Routing =
  | {
      readonly kind: 'use';
      readonly agent: string /** Why not an earlier one of the list; empty for the first. */;
      readonly reason: string;
    }
  | { readonly kind: 'wait'; readonly agent: string /** Epoch ms. */; readonly until: number; readonly reason: string }
  | {
      readonly kind: 'end';
      /** `waited`: as long as may be for a limit that names no time; `unreachable`: the same for a connection. */
      readonly cause: 'limit' | 'waited' | 'unavailable' | 'unreachable';
      readonly reason: string;
    };

export interface GateInput {
  readonly ledger: readonly LedgerLine[];
  readonly run: string;
  /** Epoch ms. */
  readonly now: number;
  /** The configured limits with what a person changed since. */
  readonly limits: RunLimits;
  readonly circuit: {
    readonly noProgress: number;
    readonly sameError: number;
    readonly outputDecline: number;
    readonly cooldownMs: number | null;
  };
  /** In order of preference; at least one. */
  readonly agents: readonly string[];
  readonly onUsageLimit: 'wait' | 'fallback' | 'stop' | null;
  /** Waits in a row for a provider that names no time, all together, milliseconds. */
  readonly maxWaitMs: number;
  /** Milliseconds the run has lived so far, waits included, without the time it was dead. */
  readonly aliveMs: number;
  /** Absent or null: it shares no budget. */
  readonly shared?: Shared | null;
  readonly paused: boolean;
  /** A person asked it to end after the iteration. */
  readonly stopAsked: boolean;
}

/** Whether an iteration may start. */
export type Gate =
  | {
      readonly kind: 'open';
      readonly agent: string /** Why not the first agent; empty when it is. */;
      readonly reason: string;
      readonly breaker: Breaker;
    }
  | {
      readonly kind: 'wait';
      readonly why: WaitReason /** Epoch ms; null until a person says so. */;
      readonly until: number | null;
      readonly text: string;
    }
  | { readonly kind: 'end'; readonly reason: EndReason; readonly text: string; readonly overrun: Overrun | null };
