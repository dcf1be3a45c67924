import type { Claim, Story } from '../../contracts/model.ts';
import type { LedgerIteration, LedgerLine } from '../../contracts/state/ledger.ts';
import { type HeardReview, hearReview } from '../../rules/backlog/reviews/memory.ts';
import type { Decision } from '../../rules/safeguards/verdict.ts';
import type { RunContext } from '../context.ts';
import { isLoopsOwn } from '../keep/loop-files.ts';
import type { Ended } from './ended.ts';
import { findingsOf } from './findings-of.ts';

/** The review of this iteration with what earlier ones found in mind; null where it gave no verdict. */
export async function recall(
  context: RunContext,
  ended: Ended,
  story: Story,
  claim: Claim | null,
): Promise<HeardReview | null> {
  const { header, snapshot, outcome } = ended;
  if (header.mode !== 'review' || outcome.verifyOnly || !snapshot.document) return null;
  const before = findingsOf(snapshot.document, story);
  const heard = hearReview({ claim, story, before, changed: await changedSinceReview(context, ended) });
  if (heard !== null && heard.memory.dropped.length > 0) {
    const ids = heard.memory.dropped.map(({ id, state }) => `${id} (${state})`).join(', ');
    const text = `The review of ${story.safeId} brought up again what is settled; dropped: ${ids}.`;
    context.emit(header.iteration, { type: 'notice', level: 'info', text });
  }
  return heard;
}

/** Whether anything but the loop's own files changed since the last review. Where nobody knows, it did. */
async function changedSinceReview(
  { git, ledger, workspace }: RunContext,
  { header, checkpoint }: Ended,
): Promise<boolean> {
  const reviewed = lastReviewed(ledger, header.story);
  if (reviewed === null) return true;
  const changes = await git.changes(reviewed, checkpoint.head).catch(() => null);
  return changes === null || changes.some(({ path }) => !isLoopsOwn(workspace, path));
}

function lastReviewed(ledger: readonly LedgerLine[], story: string): string | null {
  const last = ledger.findLast(
    (line): line is LedgerIteration => line.kind === 'iteration' && line.story === story && line.reviewed !== undefined,
  );
  return last?.reviewed ?? null;
}

/** The memory may make something else of a verdict than what the review said. */
export function inTheLightOf(heard: HeardReview | null, decision: Decision): Decision {
  if (heard === null || decision.verdict !== 'accepted') return decision;
  if (heard.settledOnly)
    return { ...decision, reason: 'the review found only what was settled before: it counts as an approval' };
  if (heard.converged)
    return { ...decision, reason: 'the review found nothing new in unchanged work: the reviews converged' };
  return decision;
}
