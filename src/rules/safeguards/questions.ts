import type { LedgerLine } from '../../contracts/index.ts';
import { growing } from './growing.ts';

/** The reason of a story that is set aside with a question; the text is the agent's. */
const ASKED = /^question (Q\d+): ([\s\S]*)$/;

/** An agent's question to the user. */
export interface Question {
  /** `Q<n>`. */
  readonly id: string;
  readonly story: string;
  readonly text: string;
  /** Epoch ms of the end of the iteration that asked. */
  readonly at: number;
  readonly run: string;
  readonly iteration: number;
  /** null while the story waits. */
  readonly answer: { readonly text: string; readonly at: number } | null;
}

/** A question that the prompts of its story include. */
export type AnsweredQuestion = Question & { readonly answer: NonNullable<Question['answer']> };

/** Every question that the workspace's agents asked, oldest first, with its answer. */
export function questionsOf(ledger: readonly LedgerLine[]): readonly Question[] {
  const questions: Question[] = [];
  for (const line of asking(ledger)) {
    if (line.kind === 'iteration') {
      const asked = ASKED.exec(line.blocked ?? '');
      const [, id, text] = asked ?? [];
      if (id === undefined || text === undefined) continue;
      const { story, run, iteration, startedAt, durationMs } = line;
      questions.push({ id, story, text, at: startedAt + durationMs, run, iteration, answer: null });
    } else if (line.kind === 'answer') {
      const index = questions.findLastIndex(({ id, story }) => id === line.question && story === line.story);
      const question = questions[index];
      if (question !== undefined) questions[index] = { ...question, answer: { text: line.text, at: line.at } };
    }
  }
  return questions;
}

const asking = growing<LedgerLine[]>(
  () => [],
  (lines, line) => {
    if (line.kind === 'answer' || (line.kind === 'iteration' && line.blocked !== null)) lines.push(line);
  },
);

/** The id for the next question of the workspace: never one already used. */
export function nextQuestion(ledger: readonly LedgerLine[]): string {
  const used = questionsOf(ledger).map(({ id }) => Number(id.slice(1)));
  return `Q${Math.max(0, ...used) + 1}`;
}

/** The questions about a story that a person answered, oldest first. */
export function answersFor(ledger: readonly LedgerLine[], story: string): readonly AnsweredQuestion[] {
  return questionsOf(ledger).filter(
    (question): question is AnsweredQuestion => question.story === story && question.answer !== null,
  );
}
