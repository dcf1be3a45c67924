import type { AgentError, ProviderLimit } from '../events.ts';
import type {
  CheckResult,
  Claim,
  Mode,
  Overrun,
  RedGreenProof,
  Signals,
  StoryDecision,
  TamperFinding,
  TestCounts,
  Usage,
  Verdict,
  Violation,
} from '../model.ts';

export const LEDGER_VERSION = 1;

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
  /** It failed for a reason outside the story, and does not use up an attempt. */
  readonly uncharged?: true;
  /** The new state of the story, if it changed: `needs_review`, `approved`, … */
  readonly state: string | null;
  readonly blocked: string | null;
  readonly reason: string;
  /** The error that ended the agent's process; null on success. */
  readonly error: AgentError | null;
  readonly startedAt: number;
  readonly durationMs: number;
  readonly costUsd: number | null;
  readonly usage: Usage;
  readonly agent: string;
  readonly model: string | null;
  readonly commit: string | null;
  readonly subject: string | null;
  /** Files in that commit apart from backlog and progress log: 0 means that no real work was done. */
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
  /** The commit that a review looked at: the next review learns whether anything has changed since. */
  readonly reviewed?: string;
  /** What its agent said as one of a panel; the votes since the last change of state decide together. */
  readonly vote?: Claim;
  /** Only with `proof: "red-green"`. `base`: the commit before the story's first; `tree`: the tree that was tried. */
  readonly proof?: { readonly base: string; readonly tree?: string; readonly result: RedGreenProof };
  /** Epoch ms of every start of an agent process; absent in older lines: one, at `startedAt`. */
  readonly calls?: readonly number[];
  /** Characters of text the agent wrote. */
  readonly outputChars?: number;
  /** The provider's limit that ended the agent. */
  readonly limit?: ProviderLimit | null;
  /** The budget that was exceeded, which ended the agent. */
  readonly overrun?: Overrun | null;
  /** Something other than the loop ended the agent, by SIGINT or SIGTERM. The run ends too. */
  readonly agentStopped?: 'interrupted' | 'terminated';
  /** Ids of a person's notes in its prompt. */
  readonly steers?: readonly string[];
  /** Number of stories left when the agent said that all work is done; the next prompt says so. */
  readonly falseCompletion?: number;
  /** What plugin analyzers found in its answer; the next prompt includes it. */
  readonly pluginNotes?: readonly string[];
  /** What its answer signalled; only without a backlog, where signals decide. */
  readonly signals?: Signals;
  /** The last test run seen inside the agent's session. */
  readonly tests?: TestCounts & { readonly command: string };
  /** Weakened tests and checks in the iteration's diff; the next review includes them. */
  readonly tampering?: readonly TamperFinding[];
  /** Weakened tests that this approval accepts, with its reasons. */
  readonly acceptedWeakenings?: readonly (TamperFinding & { readonly reason: string })[];
  /** Commit that the iteration started from; only where it produced work, and in older lines only with `tampering`. */
  readonly base?: string;
  /** The story was reported finished without a change: the evidence that it was done before. */
  readonly alreadyDone?: readonly string[];
  /** Included in the next prompt of this story; null when there is nothing to say. */
  readonly failure: FailureContext | null;
}

/** A person decided about a story: its attempts start again. It settles all earlier decisions about that story. */
export interface LedgerReset {
  readonly version: typeof LEDGER_VERSION;
  readonly kind: 'reset';
  readonly story: string;
  readonly at: number;
  /** Absent for `ralph stories reset` without a run. */
  readonly decision?: StoryDecision | 'block' | 'reject';
}

/** A person closed the breaker. */
interface LedgerCircuitReset {
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

/** A person said that a finding does not matter. It settles all earlier waivers of that finding. */
interface LedgerWaiver {
  readonly version: typeof LEDGER_VERSION;
  readonly kind: 'waiver';
  readonly story: string;
  readonly finding: string;
  readonly at: number;
}

/** A person added, changed or removed a story. */
interface LedgerAddition {
  readonly version: typeof LEDGER_VERSION;
  readonly kind: 'addition';
  /** Id of the steering entry that asked for it. */
  readonly word: string;
  /** The id of the story; null when the request was refused. */
  readonly story: string | null;
  readonly at: number;
}

export interface FailureContext {
  readonly reason: string;
  /** Failing checks with the tail of their output. */
  readonly checks: readonly CheckResult[];
  readonly rescue: string | null;
  /** `git diff --stat` of what was rolled back. */
  readonly diffStat: string | null;
}
