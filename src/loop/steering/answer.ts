import { appendLedger, loadOrThrow, type Workspace, writeFiles } from '../../adapters/workspace/index.ts';
import type { LedgerLine } from '../../contracts/index.ts';
import { editBacklog } from '../../rules/backlog/index.ts';
import { type AnswerEdits, answerEdits, type PendingAnswer } from '../../rules/steering/index.ts';

interface AnswerPlace {
  readonly root: string;
  readonly stateDir: string;
  readonly workspace: Workspace;
  readonly ledger: readonly LedgerLine[];
}

/**
 * Carries out an answer; the caller holds the run lock. The backlog comes first: if the ledger line is lost, the
 * question is still open and can be answered again.
 * @param at epoch ms
 */
export async function applyAnswer(
  { root, stateDir, workspace, ledger }: AnswerPlace,
  answer: PendingAnswer,
  at: number,
): Promise<AnswerEdits> {
  const { document } = await loadOrThrow(workspace);
  const outcome = answerEdits(document, ledger, answer, at);
  if ('refused' in outcome) return outcome;
  if (outcome.edits.length > 0) {
    const edited = editBacklog(document, outcome.edits);
    await writeFiles(root, {
      [edited.file]: edited.text,
      ...(edited.reviewsText === null ? {} : { [edited.reviewsFile]: edited.reviewsText }),
    });
  }
  await appendLedger(stateDir, outcome.line);
  return outcome;
}
