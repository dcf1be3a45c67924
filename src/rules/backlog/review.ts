import type { Claim, Story, StoryFields } from '../../contracts/model.ts';

/** Marks concerns in the notes of a story that the review cap approved. */
export const CAP_MARK = '[AUTO-APPROVED AT CAP]';

export interface ApplyInput {
  /** The story in the snapshot. */
  readonly story: Story;
  readonly claim: Claim;
  readonly skipReview: boolean;
  readonly reviewCap: number;
  readonly onReviewCap: 'approve' | 'block';
  /** Of the loop's own, fresh run of the checks. */
  readonly checksGreen: boolean;
  /** Output of the failing checks; feedback when they refuse an approval. Empty when green. */
  readonly failingOutput: string;
  /** The story's notes after the agent's legal edits. */
  readonly agentNotes: string;
  /** Notes for a story that becomes done and has none. */
  readonly summary: string;
}

export interface AppliedClaim {
  readonly fields: StoryFields;
  /** What the story is now: a review status, `done` (under `--skip-review`) or `blocked`. */
  readonly state: 'needs_review' | 'approved' | 'changes_requested' | 'blocked' | 'done';
  readonly outcome: 'ready' | 'approved' | 'changes-requested' | 'auto-approved' | 'blocked' | 'done';
  /** What the last review still found when the cap approved the story. */
  readonly concerns?: string;
}

/**
 * The review cycle: what a legal claim makes of a story. `reviewCount` grows by one per review, whichever channel the
 * claim took. An approval stands only on green checks; at the cap findings no longer send a story back.
 */
export function applyClaim(input: ApplyInput): AppliedClaim {
  const { claim } = input;
  switch (claim.kind) {
    case 'blocked':
      return { fields: { blocked: claim.reason }, state: 'blocked', outcome: 'blocked' };
    case 'ready':
      return input.skipReview ? finished(input) : ready(input);
    case 'approved':
      return input.checksGreen ? approved(input) : sentBack(input, input.failingOutput);
    case 'changes-requested':
      return sentBack(input, joined(claim.feedback, input.failingOutput));
  }
}

function ready({ story }: ApplyInput): AppliedClaim {
  const fields: StoryFields = { reviewStatus: 'needs_review' };
  if (story.passes) fields.passes = false;
  if (story.reviewFeedback !== '') fields.reviewFeedback = '';
  return { fields, state: 'needs_review', outcome: 'ready' };
}

/** Without reviews green checks make a story done; red ones are findings like a reviewer's. */
function finished(input: ApplyInput): AppliedClaim {
  const { story, checksGreen, failingOutput } = input;
  if (!checksGreen) {
    const fields: StoryFields = { reviewStatus: 'changes_requested', reviewFeedback: failingOutput };
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
  const { story, reviewCap, onReviewCap, checksGreen } = input;
  const reviewCount = story.reviewCount + 1;
  const fields: StoryFields = { reviewStatus: 'changes_requested', reviewFeedback: feedback, reviewCount };
  if (story.passes) fields.passes = false;
  if (reviewCount < reviewCap) return { fields, state: 'changes_requested', outcome: 'changes-requested' };
  if (checksGreen && onReviewCap === 'approve') {
    const base = approved(input);
    const notes = joined(notesOf(input), `${CAP_MARK} ${feedback}`);
    return { fields: { ...base.fields, notes }, state: 'approved', outcome: 'auto-approved', concerns: feedback };
  }
  const why = checksGreen ? 'the last review still found issues' : 'checks fail';
  fields.blocked = `review cap of ${reviewCap} reached and ${why}`;
  return { fields, state: 'blocked', outcome: 'blocked' };
}

/** A story becoming done has notes: the reviewer's, the agent's, its own, else the loop's summary. */
function notesOf({ claim, agentNotes, story, summary }: ApplyInput): string {
  const claimed = claim.kind === 'approved' ? claim.notes : undefined;
  return [claimed, agentNotes, story.notes].find((text) => text !== undefined && text.trim() !== '') ?? summary;
}

function joined(...parts: readonly string[]): string {
  return parts.filter((part) => part.trim() !== '').join('\n\n');
}
