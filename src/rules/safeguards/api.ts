import type { BreakerState, EndReason, LedgerLine, Overrun, RunLimits, WaitReason } from '../../contracts/index.ts';

/**
 * The conclusions of the safeguards. All of them are folds over the ledger, so that a run which was stopped and
 * restarted at any point continues as if it had not been, and deleting `.ralph/` resets nothing.
 */

/** The state of the circuit breaker according to the ledger. */
export interface Breaker {
  readonly state: BreakerState;
  /** Why it is not closed; null while closed. */
  readonly cause: 'no-progress' | 'same-error' | 'blocked-twice' | 'output-decline' | null;
  /** One sentence; empty while closed. */
  readonly reason: string;
  /** The iterations it concluded that from, oldest first, one line each: what was tried and the result. */
  readonly evidence: readonly string[];
  /** What the user can do, best first. */
  readonly fix: readonly string[];
  /** Epoch ms of the end of the iteration that changed its state; null while closed. */
  readonly since: number | null;
  /** Bad iterations in a row since the last good one, or since a story was blocked. */
  readonly badInRow: number;
  /** The error seen most often since the last good iteration, normalised, and how often. */
  readonly sameError: { readonly error: string; readonly times: number } | null;
}

/** Agent processes started in the last hour. */
export interface Rate {
  readonly used: number;
  readonly limit: number;
  /** Epoch ms from which the next one may start; null when it may start now. */
  readonly freeAt: number | null;
}

/** Usage so far. */
export interface Spent {
  /** US dollars; iterations without a reported cost count as zero. */
  readonly costUsd: number;
  /** Of all kinds. */
  readonly tokens: number;
}

/** What is left of budgets that runs share; null when there is no such budget. */
export interface LeftBudgets {
  /** US dollars. */
  readonly costUsd: number | null;
  readonly tokens: number | null;
}

/** The budgets that a run shares with others, to its knowledge. */
export interface Shared {
  /** What was left when the run was told. */
  readonly left: LeftBudgets;
  /** This run's usage since then. */
  readonly used: Spent;
}

/** The agent for the next iteration. */
export type Routing =
  | {
      readonly kind: 'use';
      readonly agent: string /** Why no earlier agent in the list is used; empty for the first. */;
      readonly reason: string;
    }
  | { readonly kind: 'wait'; readonly agent: string /** Epoch ms. */; readonly until: number; readonly reason: string }
  | {
      readonly kind: 'end';
      /** `waited`: the longest wait for a limit that names no time is over; `unreachable`: for a connection. */
      readonly cause: 'limit' | 'waited' | 'unavailable' | 'unreachable';
      readonly reason: string;
    };

export interface GateInput {
  readonly ledger: readonly LedgerLine[];
  readonly run: string;
  /** Epoch ms. */
  readonly now: number;
  /** The configured limits with the user's later changes. */
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
  /** The most milliseconds for consecutive waits on a provider that names no time, in total. */
  readonly maxWaitMs: number;
  /** Milliseconds the run has lived so far, waits included, without the time when no process was running. */
  readonly aliveMs: number;
  /** Absent or null when it shares no budget. */
  readonly shared?: Shared | null;
  readonly paused: boolean;
  /** The user asked it to end after the iteration. */
  readonly stopAsked: boolean;
}

/** Whether an iteration may start. */
export type Gate =
  | {
      readonly kind: 'open';
      readonly agent: string /** Why the first agent is not used; empty when it is. */;
      readonly reason: string;
      readonly breaker: Breaker;
    }
  | {
      readonly kind: 'wait';
      readonly why: WaitReason /** Epoch ms; null when only a person ends the wait. */;
      readonly until: number | null;
      readonly text: string;
    }
  | { readonly kind: 'end'; readonly reason: EndReason; readonly text: string; readonly overrun: Overrun | null };
