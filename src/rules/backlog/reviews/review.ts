import type { Claim, Story, StoryFields } from '../../../contracts/index.ts';

/** Marks concerns in the notes of a story that the review cap approved. */
export const CAP_MARK = '[AUTO-APPROVED AT CAP]';
/** Marks concerns where reviews converged: nothing new in unchanged work, so another round would not differ. */
const CONVERGED_MARK = '[AUTO-APPROVED: REVIEWS CONVERGED]';

/** Start of the reason of a story that the review cap blocked. */
export const BLOCKED_AT_CAP = 'review cap of ';

/** Start of the reason of a story that was blocked because the reviews converged. */
export const BLOCKED_CONVERGED = 'the last review found nothing new in unchanged work';

/** Why a story is set aside that only lacks a person's approval (`gate: story`). */
export const AWAITS_APPROVAL = 'approved by the loop; waits for your approval';

/** Whether only the last review's findings block a story. */
export function isBlockedByReviews(reason: string): boolean {
  const isEnd = reason.startsWith(BLOCKED_AT_CAP) || reason.startsWith(BLOCKED_CONVERGED);
  return isEnd && reason.endsWith(STILL_FINDS);
}

const STILL_FINDS = 'still found issues';

interface ApplyInput {
  readonly story: Story;
  readonly claim: Claim;
  readonly skipReview: boolean;
  readonly reviewCap: number;
  readonly onReviewCap: 'approve' | 'block';
  /** Result of the loop's own fresh run of the checks. */
  readonly checksGreen: boolean;
  /** Output of the failing checks; becomes the feedback when red checks refuse an approval. Empty when green. */
  readonly failingOutput: string;
  /** Why the story's tests prove nothing, which refuses an approval; absent when they do, or need not. */
  readonly unproven?: string;
  /** Weakened tests that an approval leaves unanswered: they refuse it too. Empty or absent when there are none. */
  readonly unanswered?: string;
  /** The review found nothing new in work that is unchanged since the previous one. */
  readonly converged?: boolean;
  /** The story's notes after the agent's legal edits. */
  readonly agentNotes: string;
  /** Notes for a story that becomes done without any. */
  readonly summary: string;
}

export interface AppliedClaim {
  readonly fields: StoryFields;
  /** The story's new state: a review status, `done` (under `--skip-review`) or `blocked`. */
  readonly state: 'needs_review' | 'approved' | 'changes_requested' | 'blocked' | 'done';
  readonly outcome: 'ready' | 'approved' | 'changes-requested' | 'auto-approved' | 'converged' | 'blocked' | 'done';
  /** The last review's open findings when the story was approved despite them: at the cap, or converged. */
  readonly concerns?: string;
}

/**
 * The review cycle: applies a legal claim to a story. `reviewCount` grows by one per review, through any channel. An
 * approval is valid only on green checks; at the cap, findings no longer send a story back.
 */
export function applyClaim(input: ApplyInput): AppliedClaim {
  const { claim } = input;
  switch (claim.kind) {
    case 'blocked':
      return { fields: { blocked: claim.reason }, state: 'blocked', outcome: 'blocked' };
    case 'ready':
      return input.skipReview ? finished(input) : ready(input);
    case 'approved':
      return isGood(input) ? approved(input) : sentBack(input, objections(input));
    case 'changes-requested':
      return sentBack(input, joined(claim.feedback, objections(input)));
  }
}

/** Whether the loop's own results allow the story to be done. */
function isGood({ checksGreen, unproven = '', unanswered = '' }: ApplyInput): boolean {
  return checksGreen && unproven === '' && unanswered === '';
}

function objections({ failingOutput, unproven = '', unanswered = '' }: ApplyInput): string {
  return joined(failingOutput, unproven, unanswered);
}

function ready({ story }: ApplyInput): AppliedClaim {
  const fields: StoryFields = { reviewStatus: 'needs_review' };
  if (story.passes) fields.passes = false;
  if (story.reviewFeedback !== '') fields.reviewFeedback = '';
  return { fields, state: 'needs_review', outcome: 'ready' };
}

/** Without reviews, green checks make a story done; red ones count as findings. */
function finished(input: ApplyInput): AppliedClaim {
  const { story } = input;
  if (!isGood(input)) {
    const fields: StoryFields = { reviewStatus: 'changes_requested', reviewFeedback: objections(input) };
    if (story.passes) fields.passes = false;
    return { fields, state: 'changes_requested', outcome: 'changes-requested' };
  }
  const fields: StoryFields = { passes: true, notes: notesOf(input) };
  if (story.reviewStatus !== null) fields.reviewStatus = null;
  if (story.reviewFeedback !== '') fields.reviewFeedback = '';
  return { fields, state: 'done', outcome: 'done' };
}

function approved(input: ApplyInput): AppliedClaim {
  const { story } = input;
  const fields: StoryFields = {
    passes: true,
    reviewStatus: 'approved',
    reviewCount: story.reviewCount + 1,
    notes: notesOf(input),
  };
  if (story.reviewFeedback !== '') fields.reviewFeedback = '';
  return { fields, state: 'approved', outcome: 'approved' };
}

function sentBack(input: ApplyInput, feedback: string): AppliedClaim {
  const { story, reviewCap, onReviewCap, checksGreen, converged = false } = input;
  const reviewCount = story.reviewCount + 1;
  const fields: StoryFields = { reviewStatus: 'changes_requested', reviewFeedback: feedback, reviewCount };
  if (story.passes) fields.passes = false;
  const atCap = reviewCount >= reviewCap;
  if (!atCap && !converged) return { fields, state: 'changes_requested', outcome: 'changes-requested' };
  if (isGood(input) && onReviewCap === 'approve') {
    const base = approved(input);
    const notes = joined(notesOf(input), `${atCap ? CAP_MARK : CONVERGED_MARK} ${feedback}`);
    const outcome = atCap ? 'auto-approved' : 'converged';
    return { fields: { ...base.fields, notes }, state: 'approved', outcome, concerns: feedback };
  }
  const end = atCap ? `${BLOCKED_AT_CAP}${reviewCap} reached` : BLOCKED_CONVERGED;
  const still = `${atCap ? 'the last review' : 'it'} ${STILL_FINDS}`;
  const why = !checksGreen ? 'checks fail' : isGood(input) ? still : objectionOf(input);
  fields.blocked = `${end} and ${why}`;
  return { fields, state: 'blocked', outcome: 'blocked' };
}

function objectionOf({ unanswered = '' }: ApplyInput): string {
  return unanswered === '' ? 'its tests prove nothing' : 'no review says why weakened tests are accepted';
}

/** The notes of a story that becomes done: the reviewer's, the agent's, the story's own, else the loop's summary. */
function notesOf({ claim, agentNotes, story, summary }: ApplyInput): string {
  const claimed = claim.kind === 'approved' ? claim.notes : undefined;
  return [claimed, agentNotes, story.notes].find((text) => text !== undefined && text.trim() !== '') ?? summary;
}

function joined(...parts: readonly string[]): string {
  return parts.filter((part) => part.trim() !== '').join('\n\n');
}
