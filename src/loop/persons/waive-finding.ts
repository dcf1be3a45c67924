import type { Git } from '../../adapters/git/port.ts';
import { loadOrThrow, writeFiles } from '../../adapters/workspace/backlog/document.ts';
import type { Workspace } from '../../adapters/workspace/layout.ts';
import { appendLedger } from '../../adapters/workspace/records/ledger.ts';
import type { ReviewFinding, Story, StoryFields, StoryState } from '../../contracts/model.ts';
import { LEDGER_VERSION, type LedgerWaiver } from '../../contracts/state/ledger.ts';
import type { BacklogDocument } from '../../rules/backlog/api.ts';
import { editBacklog } from '../../rules/backlog/edit.ts';
import { restOf } from '../../rules/backlog/reviews/findings.ts';
import { feedbackText } from '../../rules/backlog/reviews/memory.ts';
import { isBlockedByReviews } from '../../rules/backlog/reviews/review.ts';
import { mergeFindings, readFindings } from '../../rules/backlog/reviews/reviews.ts';
import { storyState } from '../../rules/backlog/story-state.ts';
import type { PendingWaiver } from '../../rules/steering/steering.ts';

/** What a waiver came to. */
export type Waived =
  | {
      readonly kind: 'waived';
      readonly line: LedgerWaiver;
      /** State of the story before. */
      readonly from: StoryState;
      /** It was the last thing to address: the story goes back to review. */
      readonly backToReview: boolean;
      /** Why nobody works on the story all the same; null when somebody does. */
      readonly blocked: string | null;
    }
  /** It was waived already. */
  | { readonly kind: 'same'; readonly line: LedgerWaiver }
  | { readonly kind: 'refused'; readonly line: LedgerWaiver; readonly why: string };

/**
 * Takes a person's word that a finding does not matter; the caller holds the run lock, and no iteration is under way.
 * The line in the ledger is written whatever came of it, so that a word that leads nowhere is not said again and again.
 * @param at epoch ms
 */
export async function waiveFinding(
  { git, workspace }: { readonly git: Git; readonly workspace: Workspace },
  { story: id, finding, reason, at: saidAt }: PendingWaiver,
  at: number,
): Promise<Waived> {
  const { root, stateDir } = git.repo;
  const { document } = await loadOrThrow(workspace);
  const line: LedgerWaiver = { version: LEDGER_VERSION, kind: 'waiver', story: id, finding, at: Math.max(at, saidAt) };
  const waived = await judge();
  await appendLedger(stateDir, line);
  return waived;

  async function judge(): Promise<Waived> {
    const story = document.backlog.stories.find((one) => one.id === id);
    if (story === undefined) return { kind: 'refused', line, why: `there is no story ${id} in ${document.file}` };
    const before = readFindings(document.reviewsText, id);
    const found = before.find((one) => one.id === finding);
    if (found === undefined) return { kind: 'refused', line, why: `no review of ${id} found ${finding}` };
    if (isWaived(found, reason)) return { kind: 'same', line };
    const findings = before.map((one) => (one === found ? withReason(one, reason) : one));
    const isSettled = isSettledBy(story, findings);
    const isFreed = story.blocked === undefined || (isSettled && isBlockedByReviews(story.blocked));
    const freed: StoryFields = story.blocked !== undefined && isFreed ? { blocked: null } : {};
    const fields = isSettled ? { ...BACK_TO_REVIEW, ...freed } : { reviewFeedback: feedbackOf(story, findings) };
    await write(document, story, findings, fields);
    const blocked = isFreed ? null : (story.blocked ?? null);
    return { kind: 'waived', line, from: storyState(story), backToReview: isSettled && isFreed, blocked };
  }

  async function write(
    from: BacklogDocument,
    story: Story,
    findings: readonly ReviewFinding[],
    fields: StoryFields,
  ): Promise<void> {
    const isEdit = fields.reviewFeedback !== story.reviewFeedback;
    const edited = isEdit ? editBacklog(from, [{ kind: 'set', id: story.id, fields }]) : from;
    const reviews = mergeFindings(edited.reviewsText, story.id, findings);
    await writeFiles(root, {
      [edited.file]: edited.text,
      ...(reviews === null ? {} : { [edited.reviewsFile]: reviews }),
    });
  }
}

const BACK_TO_REVIEW: StoryFields = { reviewStatus: 'needs_review', reviewFeedback: '' };

/** Whether a finding is waived, for this reason if there is one. */
export function isWaived({ state, reason: known = '' }: ReviewFinding, reason: string): boolean {
  return state === 'waived' && (reason === '' || reason === known);
}

function withReason(finding: ReviewFinding, reason: string): ReviewFinding {
  return { ...finding, state: 'waived', ...(reason === '' ? {} : { reason }) };
}

/** What is left to address: the findings that are open, and whatever else was said. */
function feedbackOf({ reviewFeedback }: Story, findings: readonly ReviewFinding[]): string {
  const isSaid = findings.some(({ state, claim }) => state === 'waived' && reviewFeedback.includes(claim));
  if (!isSaid) return reviewFeedback;
  const open = findings.filter(({ state }) => state === 'open');
  return [feedbackText(open), restOf(reviewFeedback, findings)].filter((part) => part !== '').join('\n\n');
}

/** Whether nothing is left to address: no open finding, nothing else in the feedback, such as a red check. */
function isSettledBy({ reviewStatus, reviewFeedback }: Story, findings: readonly ReviewFinding[]): boolean {
  const isSentBack = reviewStatus === 'changes_requested';
  return isSentBack && findings.every(({ state }) => state !== 'open') && restOf(reviewFeedback, findings) === '';
}
