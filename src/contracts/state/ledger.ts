import type { AgentError, ProviderLimit } from '../agent.ts';
import type {
  CheckResult,
  Mode,
  RedGreenProof,
  TamperFinding,
  TestCounts,
  Usage,
  Verdict,
  Violation,
} from '../model.ts';
import type { Overrun } from './run-record.ts';
import type { StoryDecision } from './steering.ts';

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
  /** It failed for a reason outside of the story, and spends none of its attempts. */
  readonly uncharged?: true;
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
  /** Weakened tests that this approval accepts, with its reasons. */
  readonly acceptedWeakenings?: readonly (TamperFinding & { readonly reason: string })[];
  /** Commit that the iteration started from; only where it brought work, and in older lines only with `tampering`. */
  readonly base?: string;
  /** The story was called finished without a change: what is to show that it was done before. */
  readonly alreadyDone?: readonly string[];
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

export interface FailureContext {
  readonly reason: string;
  /** Failing checks with the tail of their output. */
  readonly checks: readonly CheckResult[];
  readonly rescue: string | null;
  /** `git diff --stat` of what was rolled back. */
  readonly diffStat: string | null;
}
