import type { Checkpoint } from '../../adapters/git/index.ts';
import type { IterationHeader, SessionRecord, Story } from '../../contracts/index.ts';
import type { Snapshot } from '../../rules/judge/index.ts';

/** One agent process at work on a story, for which hooks and tools are answered. */
export interface AgentAtWork {
  readonly header: IterationHeader;
  readonly checkpoint: Checkpoint;
  readonly snapshot: Snapshot;
  readonly story: Story;
  /** Context windows by model, as seen in this workspace. */
  readonly windows: Readonly<Record<string, number>>;
}

/** The record of a session at its start. */
export const NOTHING_RECORDED: SessionRecord = {
  hooked: false,
  claim: null,
  edits: [],
  notes: [],
  patterns: [],
  tests: null,
  statusMessage: null,
  rescue: null,
};
