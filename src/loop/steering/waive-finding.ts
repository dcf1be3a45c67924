import type { Git } from '../../adapters/git/index.ts';
import { appendLedger, loadOrThrow, type Workspace, writeFiles } from '../../adapters/workspace/index.ts';
import {
  LEDGER_VERSION,
  type LedgerWaiver,
  type ReviewFinding,
  type Story,
  type StoryFields,
  type StoryState,
} from '../../contracts/index.ts';
import {
  type BacklogDocument,
  editBacklog,
  feedbackText,
  isBlockedByReviews,
  mergeFindings,
  readFindings,
  restOf,
  storyState,
} from '../../rules/backlog/index.ts';
import type { PendingWaiver } from '../../rules/steering/index.ts';

/** The result of a waiver. */
type Waived =
  | {
      readonly kind: 'waived';
      readonly line: LedgerWaiver;
      /** State of the story before. */
      readonly from: StoryState;
      /** It was the last open point: the story goes back to review. */
      readonly backToReview: boolean;
      /** Why no agent works on the story anyway; null when it is free. */
      readonly blocked: string | null;
    }
  /** It was waived already. */
  | { readonly kind: 'same'; readonly line: LedgerWaiver }
  | { readonly kind: 'refused'; readonly line: LedgerWaiver; readonly why: string };

/**
 * Waives a finding for a person; the caller holds the run lock, and no iteration is under way. The ledger line is
 * written in every case, so that a waiver without effect is not repeated again and again.
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

/** Whether a finding is waived, for the given reason if there is one. */
export function isWaived({ state, reason: known = '' }: ReviewFinding, reason: string): boolean {
  return state === 'waived' && (reason === '' || reason === known);
}

function withReason(finding: ReviewFinding, reason: string): ReviewFinding {
  return { ...finding, state: 'waived', ...(reason === '' ? {} : { reason }) };
}

/** What is left to address: the open findings, and all other feedback. */
function feedbackOf({ reviewFeedback }: Story, findings: readonly ReviewFinding[]): string {
  const isSaid = findings.some(({ state, claim }) => state === 'waived' && reviewFeedback.includes(claim));
  if (!isSaid) return reviewFeedback;
  const open = findings.filter(({ state }) => state === 'open');
  return [feedbackText(open), restOf(reviewFeedback, findings)].filter((part) => part !== '').join('\n\n');
}

/** Whether nothing is left to address: no open finding, and no other feedback, such as a red check. */
function isSettledBy({ reviewStatus, reviewFeedback }: Story, findings: readonly ReviewFinding[]): boolean {
  const isSentBack = reviewStatus === 'changes_requested';
  return isSentBack && findings.every(({ state }) => state !== 'open') && restOf(reviewFeedback, findings) === '';
}
