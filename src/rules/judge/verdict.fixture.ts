import { NO_USAGE } from '../../contracts/index.ts';
import type { decideVerdict } from './verdict.ts';

export type VerdictInput = Parameters<typeof decideVerdict>[0];

/** An implement iteration that changed files, and of which there is nothing else to say. */
export const QUIET: VerdictInput = {
  mode: 'implement',
  claim: null,
  agent: 'ok',
  outcome: {
    result: {
      ...{ exitCode: 0, signal: null, ok: true, text: '', usage: NO_USAGE, costUsd: null, turns: null },
      ...{ sessionId: null, limit: null, error: null },
    },
    stopped: null,
  },
  changedOutsideLog: true,
  changedSinceStoryStart: true,
  alreadyDone: null,
  skipReview: false,
  checks: { regressions: [], ownFailures: [] },
  reviewTouchedCode: false,
  tampering: [],
  unanswered: 0,
  lost: [],
  excess: [],
  gone: [],
  proof: null,
  review: null,
  votesToCome: 0,
  signals: null,
  advancedInRow: 0,
  refusal: null,
};
