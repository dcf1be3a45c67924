import type { Story, Violation } from '../../contracts/model.ts';
import type { BacklogDiff } from './diff.ts';
import { violation } from './violation.ts';

export interface InvariantContext {
  readonly after: Story;
  /** The story in the snapshot; null for a new story and when the snapshot is missing. */
  readonly before: Story | null;
  /** False when there is no snapshot: then nothing can be called new. */
  readonly hasSnapshot: boolean;
  readonly skipReview: boolean;
  readonly reviewCap: number;
  /** Whether the file itself carries review fields. */
  readonly native: boolean;
}

/** Something that must be true of a story, whatever happened to it. */
export interface InvariantRule {
  readonly name: string;
  check(context: InvariantContext): Violation | null;
}

const approvedPasses: InvariantRule = {
  name: 'invariant/approved-passes',
  check: ({ after }) =>
    after.reviewStatus === 'approved' && !after.passes
      ? violation({
          rule: 'invariant/approved-passes',
          story: after.id,
          field: 'passes',
          instead: 'an approved story has passes: true; set both or neither.',
        })
      : null,
};

/** `passes: true` with a `null` review stands when it was so before ("unreviewed"); nobody becomes done that way. */
const passesApproved: InvariantRule = {
  name: 'invariant/passes-approved',
  check: ({ after, before, hasSnapshot, skipReview, native }) => {
    const newly = hasSnapshot && after.passes && before?.passes !== true;
    return newly && native && !skipReview && after.reviewStatus !== 'approved'
      ? violation({
          rule: 'invariant/passes-approved',
          story: after.id,
          field: 'passes',
          from: before?.passes,
          to: true,
          instead: 'a story passes only when a review approves it.',
        })
      : null;
  },
};

const feedbackGiven: InvariantRule = {
  name: 'invariant/feedback-given',
  check: ({ after }) =>
    after.reviewStatus === 'changes_requested' && after.reviewFeedback.trim() === ''
      ? violation({
          rule: 'invariant/feedback-given',
          story: after.id,
          field: 'reviewFeedback',
          instead: 'requested changes need feedback that says what to change, item by item.',
        })
      : null,
};

const countInRange: InvariantRule = {
  name: 'invariant/review-count',
  check: ({ after, before, reviewCap }) => {
    const most = highestCount(before, reviewCap);
    const { reviewCount } = after;
    return Number.isInteger(reviewCount) && reviewCount >= 0 && reviewCount <= most
      ? null
      : violation({
          rule: 'invariant/review-count',
          story: after.id,
          field: 'reviewCount',
          from: before?.reviewCount,
          to: reviewCount,
          instead: `it is a whole number from 0 to ${most}.`,
        });
  },
};

const INVARIANTS: readonly InvariantRule[] = [approvedPasses, passesApproved, feedbackGiven, countInRange];

/**
 * A count that the story brought along may exceed a cap that was lowered since; it is not wrong for that,
 * and one more review may come on top.
 */
function highestCount(before: Story | null, reviewCap: number): number {
  return Math.max(reviewCap, before?.reviewCount ?? 0) + 1;
}

export interface InvariantFindings {
  readonly violations: readonly Violation[];
  readonly warnings: readonly string[];
}

/**
 * Checks what changed since the snapshot; with `diff: null` (no snapshot) every story of `stories`.
 * Stories that did not change stand as they are, so that imported ones are not held against the agent.
 */
export function checkInvariants(
  stories: readonly Story[],
  diff: BacklogDiff | null,
  options: { readonly skipReview: boolean; readonly reviewCap: number; readonly native: boolean },
): InvariantFindings {
  const subjects =
    diff === null
      ? stories.map((after) => ({ after, before: null }))
      : [...diff.changed, ...diff.added.map((after) => ({ after, before: null }))];
  const contexts = subjects.map(({ after, before }) => ({ after, before, hasSnapshot: diff !== null, ...options }));
  return {
    violations: contexts.flatMap((context) => INVARIANTS.flatMap((rule) => rule.check(context) ?? [])),
    warnings: contexts
      .filter(
        ({ after, before }) =>
          after.reviewCount > options.reviewCap + 1 && after.reviewCount <= highestCount(before, options.reviewCap),
      )
      .map(
        ({ after }) =>
          `${after.id} has been reviewed ${after.reviewCount} times, more than the review cap of ${options.reviewCap}`,
      ),
  };
}
