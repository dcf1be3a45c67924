import {
  LEDGER_VERSION,
  type LedgerAnswer,
  type LedgerLine,
  type Story,
  type StoryEdit,
} from '../../contracts/index.ts';
import { type BacklogDocument, isDone } from '../backlog/index.ts';
import { questionsOf } from '../safeguards/index.ts';
import type { PendingAnswer } from './steering.ts';

/** The result of a person's answer. */
type AnswerEdits =
  | {
      readonly edits: readonly StoryEdit[];
      readonly line: LedgerAnswer;
      /** Why the story no longer waits for it; null when it did. Completes "it …". */
      readonly unawaited: string | null;
    }
  /** Why it has no effect. */
  | { readonly refused: string };

/**
 * What an answer does: its story is free again if it still waits for it, and the ledger stores the answer for future
 * prompts. A story that was reset meanwhile, or blocked for another reason, stays unchanged.
 * @param at epoch ms
 */
export function answerEdits(
  document: BacklogDocument,
  ledger: readonly LedgerLine[],
  { question: id, text }: PendingAnswer,
  at: number,
): AnswerEdits {
  const question = questionsOf(ledger).find((one) => one.id === id);
  if (!question) return { refused: `there is no question ${id}` };
  if (question.answer) return { refused: `${id} was already answered` };
  const story = document.backlog.stories.find((one) => one.id === question.story);
  return {
    edits: waitsFor(story, id) ? [{ kind: 'set', id: question.story, fields: { blocked: null } }] : [],
    line: { version: LEDGER_VERSION, kind: 'answer', question: id, story: question.story, text, at },
    unawaited: unawaited(story, id),
  };
}

/** Why a story does not wait for the answer to a question; null when it does. Completes "it …". */
export function unawaited(story: Story | undefined, question: string): string | null {
  if (story === undefined) return 'is no longer in the backlog';
  if (isDone(story)) return 'is done';
  if (waitsFor(story, question)) return null;
  return story.blocked === undefined ? 'is already unblocked' : `is blocked for another reason (${story.blocked})`;
}

/** Whether a story is set aside until this question is answered. */
export function waitsFor(story: { readonly blocked?: string } | undefined, question: string): boolean {
  return story?.blocked?.startsWith(`question ${question}: `) ?? false;
}
