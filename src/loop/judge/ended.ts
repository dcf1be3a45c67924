import type { AfterState, Checkpoint } from '../../adapters/git/port.ts';
import type { CheckResult, Claim, Story, StoryEdit, TamperFinding, Violation } from '../../contracts/model.ts';
import type { AgentOutcome, SeenTests } from '../../contracts/state/agent-outcome.ts';
import type { IterationHeader } from '../../contracts/state/journal.ts';
import type { LedgerIteration, Signals } from '../../contracts/state/ledger.ts';
import type { AcceptedWeakening } from '../../rules/backlog/api.ts';
import type { HeardReview } from '../../rules/backlog/reviews/memory.ts';
import type { Numbered } from '../../rules/backlog/reviews/weakened.ts';
import type { Snapshot } from '../keep/snapshot.ts';

/** An iteration whose agent has ended: everything that settle judges. */
export interface Ended {
  readonly header: IterationHeader;
  readonly checkpoint: Checkpoint;
  readonly snapshot: Snapshot;
  readonly outcome: AgentOutcome;
  readonly after: AfterState;
}

/** What settle found out about it; the plan is made from this. */
export interface Findings {
  readonly story: Story;
  readonly claim: Claim | null;
  readonly violations: readonly Violation[];
  /** Legal changes of the agent to the backlog. */
  readonly edits: readonly StoryEdit[];
  readonly checks: readonly CheckResult[];
  /** Checks whose failure counts: green once, or the story's own. */
  readonly failing: readonly CheckResult[];
  /** Paths of the iteration's work: everything that changed but the loop's and the protected files. */
  readonly work: readonly string[];
  /** The progress log as it was, with what the agent may add to it. */
  readonly progress: string;
  /** The last test run seen inside the agent's session. */
  readonly tests: SeenTests | null;
  /** Weakened tests and checks in the work. */
  readonly tampering: readonly TamperFinding[];
  /** What a claim that makes the story done says about weakened tests of earlier iterations. */
  readonly weakened: AnsweredWeakenings;
  /** The agent announced that the whole backlog is done. */
  readonly announced: boolean;
  /** The review of this iteration, heard with earlier ones in mind; null for everything else. */
  readonly review: HeardReview | null;
  /** Only with `proof: "red-green"`. */
  readonly proof: StoryProof | null;
  /** Only without a backlog, where they decide. */
  readonly signals: Signals | null;
  /** What analyzers want the next agent to know. */
  readonly pluginNotes: readonly string[];
  /** Ref that holds protected files as the agent left them; null when it left them alone. */
  readonly rescue: string | null;
  /** The work tree once protected files were put back. */
  readonly tree: string;
}

/** Weakened tests: passed over in silence, and accepted with a reason. */
export interface AnsweredWeakenings {
  readonly open: readonly Numbered[];
  readonly accepted: readonly AcceptedWeakening[];
}

/** A proof, with the base and the work that it was tried with. */
export type StoryProof = NonNullable<LedgerIteration['proof']>;
