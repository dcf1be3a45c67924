import type {
  AgentOutcome,
  CheckResult,
  Config,
  EventBody,
  IterationHeader,
  LedgerIteration,
  LedgerLine,
  RunLimits,
  RunRecord,
  TamperFinding,
  Violation,
} from '../../contracts/index.ts';
import type { BacklogDocument, Loaded, ShownDone } from '../backlog/index.ts';
import type { Found } from '../plugins.ts';

/** The loop's own files as they were before the agent started: every claim is judged against them. */
export interface Snapshot {
  /** null when it is gone (recovery after objects were pruned): transitions are then skipped. */
  readonly document: BacklogDocument | null;
  readonly progress: string | null;
}

/** The result of an iteration before any of it was tried. */
export interface WorkLeft {
  readonly header: IterationHeader;
  readonly agent: AgentOutcome;
  readonly config: Config;
  readonly ledger: readonly LedgerLine[];
  readonly before: Snapshot;
  /** HEAD at the checkpoint, and as the agent left it. */
  readonly head: { readonly before: string; readonly after: string };
  /** The work tree after protected files were put back. */
  readonly tree: string;
  /** The backlog as the agent left it. */
  readonly backlog: Loaded;
  /** The progress log as the agent left it; text is null when it is missing or unreadable. */
  readonly progress: { readonly text: string | null; readonly isUnreadable: boolean };
  /** Every change except in the loop's own files and the protected ones. */
  readonly work: readonly { readonly path: string; readonly status: string }[];
  /** Files put back because no agent may change them. */
  readonly putBack: readonly PutBack[];
  /** Ref with the agent's version of protected files; null when it did not change them. */
  readonly rescue: string | null;
  readonly analyzers: Found;
  /** Whether the story's work changed since its last review; true when unknown. */
  readonly changedSinceReview: boolean;
  readonly places: Places;
}

/** The names of files and folders that appear in texts. */
interface Places {
  /** Name of the spec, for a progress log that does not exist yet. */
  readonly name: string;
  /** Relative to the work tree. */
  readonly backlog: string | null;
  readonly progress: string;
  /** Absolute. */
  readonly root: string;
  readonly commonDir: string;
  readonly stateDir: string;
}

/** A protected file as the agent left it. */
export type PutBack =
  /** A link or a file in place of a folder that belongs to the loop. */
  | { readonly kind: 'folder'; readonly path: string }
  | { readonly kind: 'file'; readonly path: string; readonly how: string }
  /** Invisible to git: ignored, or not a file. `kept`: where the removed content is. */
  | {
      readonly kind: 'hidden';
      readonly path: string;
      readonly how: string;
      readonly kept: string | null;
      readonly isBack: boolean;
    };

/** Everything that the verdict on an iteration is based on. Plain data, without behaviour. */
export interface Evidence extends WorkLeft {
  readonly limits: Pick<RunLimits, 'storyMaxAttempts' | 'storyMaxCost'>;
  readonly record: RunRecord;
  /** Accepted work that is gone because the agent went back in the history. */
  readonly lost: readonly Violation[];
  /** Weakened tests and checks in the work, and stories that it undid. */
  readonly tampering: readonly TamperFinding[];
  /** Weakened tests that no review accepted yet; looked up only when the claim has to answer for them. */
  readonly underReview: readonly TamperFinding[];
  /** Null unless the agent says that nothing had to be changed. */
  readonly shownDone: ShownDone | null;
  readonly checks: readonly CheckResult[];
  /** Null when it was not required. */
  readonly proof: StoryProof | null;
  /** The run was stopped while checks or the proof ran, so they are incomplete. */
  readonly isStopped: boolean;
  /** The story's commits so far; looked up only when it may become done. */
  readonly range: { readonly base: string; readonly head: string; readonly commits: number } | null;
  /** The agent's own commits: the ref that keeps them, and their subjects. */
  readonly agentCommits: { readonly ref: string; readonly messages: readonly string[] } | null;
  /** Reasons why the commit could not be made, oldest first. */
  readonly refusals: readonly Refusal[];
  /** What was saved of work that is rolled back; null until that is done. */
  readonly kept: { readonly rescue: string | null; readonly diffStat: string | null } | null;
}

/** A commit that could not be made. */
export type Refusal =
  /** Null: git itself cannot convert the files. */
  | { readonly kind: 'hook'; readonly hook: string | null; readonly check: CheckResult }
  /** Files with secrets of this process, identified by the names of variables or in words. */
  | {
      readonly kind: 'secrets';
      readonly files: readonly { readonly path: string; readonly names: readonly string[] }[];
    };

/** A proof, with the base and the work that it was run on. */
export type StoryProof = NonNullable<LedgerIteration['proof']>;

/** The result for an iteration: only carrying it out remains. */
export interface Outcome {
  /** Its line in the ledger, before a commit is known. */
  readonly ledger: LedgerIteration;
  /** The work tree goes back to the checkpoint. */
  readonly rollBack: boolean;
  /** Null when there is no commit to make. */
  readonly commit: {
    readonly subject: string;
    readonly body: string;
    readonly trailers: readonly (readonly [string, string])[];
    /** Paths of work in it, besides the loop's own files. */
    readonly paths: readonly string[];
    readonly runsHooks: boolean;
  } | null;
  /** New texts of backlog, reviews and progress log; null deletes. */
  readonly files: Readonly<Record<string, string | null>>;
  /** What is reported to the user, once, when the outcome is final. */
  readonly events: readonly EventBody[];
}

export function secretsIn(names: readonly string[]): string {
  return names.map((name) => (name.includes(' ') ? name : `the value of ${name}`)).join(' and ');
}
