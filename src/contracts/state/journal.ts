import type { Mode, Usage, Verdict } from '../model.ts';
import type { AgentOutcome } from './agent-outcome.ts';
import type { LedgerIteration } from './ledger.ts';

export const JOURNAL_VERSION = 1;

/**
 * What stood at the protected names of the work tree, by path. A file has its mode, and its bytes in base64, or only
 * their hash where it is large; null: nothing was there.
 */
export type ProtectedNames = Readonly<
  Record<
    string,
    | { readonly kind: 'file'; readonly mode: number; readonly base64: string }
    | { readonly kind: 'large'; readonly mode: number; readonly sha256: string }
    | { readonly kind: 'link'; readonly target: string }
    | { readonly kind: 'other' }
    | null
  >
>;

/** The person's ignored files at the checkpoint, by path, and the tree that holds those that were saved. */
export interface PreciousFiles {
  readonly tree: string | null;
  readonly files: Readonly<
    Record<string, { readonly mode: number; readonly stamp: string; readonly isSaved: boolean }>
  >;
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
  /** Protected names as they were, by `loop/keep/protected-names.ts`; absent in entries of earlier versions. */
  readonly names?: ProtectedNames;
  /** Backlog, progress log and reviews that git ignores, by `loop/keep/ignored-spec.ts`; absent where it has them. */
  readonly spec?: ProtectedNames;
  /** By `loop/keep/precious.ts`; absent in entries of earlier versions. */
  readonly precious?: PreciousFiles;
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
  /** Untracked files of a person's that the agent deleted: they come back from the checkpoint. */
  readonly putBack?: readonly string[];
  readonly ledger: LedgerIteration;
}
