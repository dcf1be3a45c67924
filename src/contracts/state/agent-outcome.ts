import type { AgentResult, StopReason } from '../agent.ts';
import type { Claim, StoryEdit, TestCounts } from '../model.ts';
import type { Overrun } from './run-record.ts';

/** How the agent's part of an iteration went; enough to settle it after a crash. */
export interface AgentOutcome {
  readonly result: AgentResult;
  readonly stopped: StopReason | null;
  readonly startedAt: number;
  readonly endedAt: number;
  /** Files of the git dir that the agent had changed; they were put back before any git of ours ran. */
  readonly gitDirChanges?: readonly string[];
  /** Folders that git ignores, as `node_modules/`, that are gone since an iteration of this run: no checkpoint has them. */
  readonly gone?: readonly string[];
  /** What it left that no checkpoint can hold, in words; it was moved aside. */
  readonly excess?: readonly string[];
  /** Who did the work. */
  readonly agent?: string;
  readonly model?: string | null;
  /** Epoch ms of every start of an agent process, the tries after transient errors included. */
  readonly calls?: readonly number[];
  /** Characters of text the agent wrote, over all tries. */
  readonly outputChars?: number;
  /** The budget whose overrun ended the agent. */
  readonly overrun?: Overrun | null;
  /** Ids of the notes that its prompt carried. */
  readonly steers?: readonly string[];
  /** What hooks and tools recorded while it worked; absent when nothing stood beside the agent. */
  readonly desk?: DeskRecord;
  /** No agent was started: the loop only runs the checks of a story that waits for a review under `--skip-review`. */
  readonly verifyOnly?: true;
}

/** What an agent said through its tools and did in front of its hooks. Plain data: the journal carries it. */
export interface DeskRecord {
  /** At least one hook call arrived: the client really asks. */
  readonly hooked: boolean;
  /** The last claim made through a tool. */
  readonly claim: Claim | null;
  /** Stories added or split through tools, each judged when it was made. */
  readonly edits: readonly StoryEdit[];
  /** For the progress log: entries, and lines for the patterns on top. */
  readonly notes: readonly string[];
  readonly patterns: readonly string[];
  /** The last test run that was seen. */
  readonly tests: SeenTests | null;
  /** The last message with a status block that a Stop saw: after a refusal agents rarely repeat it. Null when none. */
  readonly statusMessage: string | null;
  /** What `rollback: immediate` took back last, as a full ref. */
  readonly rescue: string | null;
}

export interface SeenTests extends TestCounts {
  readonly command: string;
  /** As the agent's client reports it: of the whole command line, which may hide a failure. */
  readonly exitCode: number;
  /** Last lines of its output when it did not pass, else empty. */
  readonly tail: string;
}
