import type { AgentResult, StopReason } from '../events.ts';
import type { Claim, Mode, Overrun, StoryEdit, TestCounts, Usage, Verdict } from '../model.ts';
import type { LedgerIteration } from './ledger.ts';

export const JOURNAL_VERSION = 1;

/**
 * The content of the protected names of the work tree, by path. A file has its mode, and its bytes in base64, or the id
 * of the blob in the checkpoint's tree, or only their hash where it is large; null: nothing was there.
 */
export type ProtectedNames = Readonly<
  Record<
    string,
    | { readonly kind: 'file'; readonly mode: number; readonly base64: string }
    | { readonly kind: 'blob'; readonly mode: number; readonly id: string }
    | { readonly kind: 'large'; readonly mode: number; readonly sha256: string }
    | { readonly kind: 'link'; readonly target: string }
    | { readonly kind: 'other' }
    | null
  >
>;

/** The person's ignored files at the checkpoint, by path, and the tree that holds the saved ones. */
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
  /**
   * The protected names at the start, from `loop/protect/protected-names.ts`; absent in entries of earlier versions.
   */
  readonly names?: ProtectedNames;
  /** Backlog, progress log and reviews that git ignores, from `loop/protect/snapshot.ts`; absent where git has them. */
  readonly spec?: ProtectedNames;
  /** From `loop/protect/precious.ts`; absent in entries of earlier versions. */
  readonly precious?: PreciousFiles;
}

/**
 * `journal/lane-<n>.json`: one iteration, rewritten at each phase. Recovery:
 * `checkpointed` → roll back; `agent-ended` → judge again if the tree is still `afterTree`, else roll back;
 * `planned` → apply the plan (idempotent); `done` → nothing.
 */
export type JournalEntry = IterationHeader &
  (
    | ({ readonly phase: 'checkpointed' } & AtWork)
    | { readonly phase: 'agent-ended'; readonly outcome: AgentOutcome; readonly afterTree: string }
    | { readonly phase: 'planned'; readonly plan: Plan }
    | { readonly phase: 'done'; readonly verdict: Verdict }
  );

/** What is known of a working agent: enough to charge for it if no process sees its end. */
export interface AtWork {
  readonly agent?: string;
  /** Epoch ms of every start. */
  readonly calls?: readonly number[];
  /** What it has reported so far, over all tries. */
  readonly usage?: Usage;
  readonly costUsd?: number | null;
}

/** Everything that applying the plan will do, decided before any of it is done. */
export interface Plan {
  readonly verdict: Verdict;
  /** Return to the checkpoint before anything else; `rescue` holds what was there. */
  readonly rollBack: boolean;
  /** The prepared commit, not yet reachable from any branch; null when this iteration makes none. */
  readonly commit: string | null;
  readonly commitFiles: number;
  /** The checkpoint's branch as the agent left it. */
  readonly agentHead: string;
  readonly agentCommits: string | null;
  readonly afterTree: string;
  /** Full ref of what this iteration removed: created while planning, so that applying the plan can lose nothing. */
  readonly rescue: string | null;
  readonly rescuedFiles: number;
  /** New text of the files that only the loop writes; null deletes. Also written after a rollback. */
  readonly files: Readonly<Record<string, string | null>>;
  /** Those of these files whose text the commit holds: the journal leaves them out of `files`. */
  readonly held?: readonly string[];
  /** Untracked files of a person that the agent deleted: they are restored from the checkpoint. */
  readonly putBack?: readonly string[];
  readonly ledger: LedgerIteration;
}

/** How the agent's part of an iteration went; enough to settle it after a crash. */
export interface AgentOutcome {
  readonly result: AgentResult;
  readonly stopped: StopReason | null;
  readonly startedAt: number;
  readonly endedAt: number;
  /** Files of the git dir that the agent had changed; they were put back before the loop ran any git command. */
  readonly gitDirChanges?: readonly string[];
  /**
   * Folders ignored by git, such as `node_modules/`, that disappeared in an iteration of this run: no checkpoint has
   * them.
   */
  readonly gone?: readonly string[];
  /** What the agent left that no checkpoint can hold, in words; it was moved aside. */
  readonly excess?: readonly string[];
  /** The agent that did the work. */
  readonly agent?: string;
  readonly model?: string | null;
  /** Epoch ms of every start of an agent process, including tries after transient errors. */
  readonly calls?: readonly number[];
  /** Characters of text the agent wrote, over all tries. */
  readonly outputChars?: number;
  /** The budget that the agent exceeded, which ended it. */
  readonly overrun?: Overrun | null;
  /** Ids of the notes in its prompt. */
  readonly steers?: readonly string[];
  /** What hooks and tools recorded while it worked; absent when the agent had neither. */
  readonly session?: SessionRecord;
  /** No agent was started: the loop only runs the checks of a story that waits for a review under `--skip-review`. */
  readonly verifyOnly?: true;
}

/** What an agent said through its tools and did before its hooks. Plain data: the journal stores it. */
export interface SessionRecord {
  /** At least one hook call arrived: the client really calls the hooks. */
  readonly hooked: boolean;
  /** The last claim made through a tool. */
  readonly claim: Claim | null;
  /** Stories added or split through tools, each judged when it was made. */
  readonly edits: readonly StoryEdit[];
  /** For the progress log: entries, and lines for the patterns at its top. */
  readonly notes: readonly string[];
  readonly patterns: readonly string[];
  /** The last test run seen. */
  readonly tests: SeenTests | null;
  /**
   * The last message with a status block that a Stop saw: after a refusal agents rarely repeat it. Null if there was
   * none.
   */
  readonly statusMessage: string | null;
  /** What `rollback: immediate` last rolled back, as a full ref. */
  readonly rescue: string | null;
}

export interface SeenTests extends TestCounts {
  readonly command: string;
  /** As reported by the agent's client, for the whole command line, which may hide a failure. */
  readonly exitCode: number;
  /** Last lines of its output when it did not pass, else empty. */
  readonly tail: string;
}
