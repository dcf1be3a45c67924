import type { CheckResult, Claim, Mode, TamperFinding, Verdict } from '../../contracts/model.ts';
import { type ShownDone, whyNotShown } from '../backlog/already-done.ts';
import { howItFailed } from '../check-words.ts';

/** Consecutive `advanced` iterations of a story from which each one spends an attempt. */
export const ADVANCED_FREE = 2;

/** How an agent's process ended. `interrupted`: by a signal or a budget; `limited`: by the provider. */
export type AgentEnd = 'ok' | 'timed-out' | 'error' | 'interrupted' | 'limited';

export interface VerdictInput {
  readonly mode: Mode;
  /** Already legal for the mode. */
  readonly claim: Claim | null;
  readonly agent: AgentEnd;
  /** Something outside backlog and progress log differs from the checkpoint. */
  readonly changedOutsideLog: boolean;
  /** The same against the story's first checkpoint. */
  readonly changedSinceStoryStart: boolean;
  /** What shows that the story was done before; null where the agent does not say so. */
  readonly alreadyDone: ShownDone | null;
  readonly skipReview: boolean;
  readonly checks: {
    /** Red now, green at the baseline or at any time since. */
    readonly regressions: readonly CheckResult[];
    /** Red commands of the story itself. */
    readonly ownFailures: readonly CheckResult[];
  };
  /** A review changed tracked files other than backlog and progress log. */
  readonly reviewTouchedCode: boolean;
  /** Weakened tests that reject the iteration; none where a reviewer is asked about them. */
  readonly tampering: readonly TamperFinding[];
  /** Accepted work of other stories that is gone because the agent went back in the history, in words. */
  readonly lost?: readonly string[];
  /** What it left that no checkpoint can hold, in words; it was moved aside. */
  readonly excess?: readonly string[];
  /** `advanced` verdicts of this story directly before this iteration. */
  readonly advancedInRow: number;
}

export interface Decision {
  readonly verdict: Verdict;
  /** One sentence for people and for the next prompt. */
  readonly reason: string;
  /** For the circuit breaker. */
  readonly counts: 'good' | 'bad' | 'ignored';
  readonly action: 'commit' | 'roll-back' | 'keep';
  /** What the iteration adds to the story's spent attempts; a change of review state resets them. */
  readonly attemptDelta: 0 | 1;
}

/** The verdict on an iteration: the table "What each verdict does" of the loop's specification. */
export function decideVerdict(input: VerdictInput): Decision {
  const { mode, claim, agent } = input;
  if (agent === 'interrupted') return ignored('interrupted', 'the iteration was interrupted before it ended');
  if (agent === 'limited') return ignored('limited', 'the provider refused to go on: a usage limit was reached');
  if (mode === 'review' && input.reviewTouchedCode) {
    return bad('rejected', 'the review changed files; a review fixes nothing, so its verdict does not stand');
  }
  const [beyond] = input.excess ?? [];
  if (beyond !== undefined) return bad('rejected', `${beyond}: it was moved aside`);
  const [lost] = input.lost ?? [];
  if (lost !== undefined) return bad('rejected', lost);
  const obstacle = claim === null ? null : obstacleTo(claim, input);
  const [weakened] = input.tampering;
  if (weakened !== undefined && mode !== 'review') {
    return bad('rejected', `tests or checks were weakened: ${weakened.path}:${weakened.line}: ${weakened.detail}`);
  }
  if (agent !== 'ok') return badEnd(agent, input, obstacle);
  if (claim !== null) return obstacle ?? accepted(claim, input);
  if (mode === 'review') return noProgress('the review ended without a verdict');
  if (!input.changedOutsideLog) return noProgress('nothing was changed and nothing was claimed');
  return regression(input) ?? advanced(input.advancedInRow);
}

/** What keeps a legal claim from being accepted; null when nothing does. */
function obstacleTo(claim: Claim, input: VerdictInput): Decision | null {
  // A review changes no code: red checks turn its verdict into requested changes when it is applied.
  if (input.mode === 'review') return null;
  const broken = regression(input);
  // Who reports a blocker did not finish: the story's own checks cannot be asked for.
  if (broken !== null || claim.kind === 'blocked') return broken;
  const [failing] = input.checks.ownFailures;
  if (failing !== undefined)
    return bad('rejected', `the story was called finished, but its own check ${ending(failing)}`);
  const why = input.changedSinceStoryStart ? null : whyNotShown(input.alreadyDone, input.skipReview);
  return why === null ? null : noProgress(`the story was called finished, but nothing was changed for it: ${why}`);
}

function regression({ checks }: VerdictInput): Decision | null {
  const [failing, ...more] = checks.regressions;
  if (failing === undefined) return null;
  const others = more.length === 0 ? '' : `, and ${more.length} more with it`;
  return bad('rejected', `a check that was green before is red: ${ending(failing)}${others}`);
}

function ending(check: CheckResult): string {
  return `\`${check.command}\` ${howItFailed(check)}`;
}

/** A process that ended badly: its work counts only with a legal claim and green checks. */
function badEnd(agent: 'timed-out' | 'error', input: VerdictInput, obstacle: Decision | null): Decision {
  const how = agent === 'timed-out' ? 'the agent ran out of time' : 'the agent ended with an error';
  const verdict = agent === 'timed-out' ? 'timed-out' : 'agent-error';
  if (input.claim === null) return bad(verdict, `${how} without a claim`);
  if (obstacle !== null) return bad(verdict, `${how}; besides, ${obstacle.reason}`);
  const red = input.checks.regressions[0] ?? input.checks.ownFailures[0];
  if (input.mode === 'review' && red !== undefined) return bad(verdict, `${how}, and ${ending(red)}`);
  const decision = accepted(input.claim, input);
  return { ...decision, reason: `${decision.reason}, although ${how}` };
}

function accepted(claim: Claim, input: VerdictInput): Decision {
  const unchanged = claim.kind === 'ready' && !input.changedSinceStoryStart;
  const red = [...input.checks.regressions, ...input.checks.ownFailures][0];
  return {
    verdict: 'accepted',
    reason: acceptance(claim, input.skipReview, unchanged, red),
    counts: 'good',
    action: 'commit',
    attemptDelta: 0,
  };
}

function acceptance(claim: Claim, skipReview: boolean, unchanged: boolean, red: CheckResult | undefined): string {
  switch (claim.kind) {
    case 'ready':
      if (skipReview) return 'the story is finished and its checks pass';
      return unchanged
        ? 'the agent says no change was needed; a review decides'
        : 'the story is finished and goes to review';
    case 'approved':
      return red === undefined
        ? 'the review approved the story'
        : `the review approved the story, but ${ending(red)}: changes are requested`;
    case 'changes-requested':
      return 'the review requested changes';
    case 'blocked':
      return `the agent is blocked: ${claim.reason}`;
  }
}

function advanced(advancedInRow: number): Decision {
  const costs = advancedInRow >= ADVANCED_FREE;
  return {
    verdict: 'advanced',
    reason: 'files changed and no check got worse; nothing was claimed',
    counts: 'good',
    action: 'commit',
    attemptDelta: costs ? 1 : 0,
  };
}

function noProgress(reason: string): Decision {
  return { verdict: 'no-progress', reason, counts: 'bad', action: 'keep', attemptDelta: 1 };
}

function bad(verdict: 'rejected' | 'timed-out' | 'agent-error', reason: string): Decision {
  return { verdict, reason, counts: 'bad', action: 'roll-back', attemptDelta: 1 };
}

function ignored(verdict: 'interrupted' | 'limited', reason: string): Decision {
  return { verdict, reason, counts: 'ignored', action: 'roll-back', attemptDelta: 0 };
}
