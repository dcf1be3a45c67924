import type { DeskRecord } from '../../contracts/state/agent-outcome.ts';

/** The record of a desk that nobody has come to yet. */
export const NOTHING_RECORDED: DeskRecord = {
  hooked: false,
  claim: null,
  edits: [],
  notes: [],
  patterns: [],
  tests: null,
  statusMessage: null,
  rescue: null,
};
