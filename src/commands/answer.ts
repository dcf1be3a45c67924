import { readLedger } from '../adapters/workspace/ledger.ts';
import { appendSteering } from '../adapters/workspace/steering-file.ts';
import { LockedError, UsageError } from '../contracts/errors.ts';
import type { LedgerLine } from '../contracts/state.ts';
import { applyAnswer } from '../loop/answer.ts';
import { nearest } from '../rules/nearest.ts';
import { type Question, questionsOf } from '../rules/safeguards/questions.ts';
import { noteProblem } from '../rules/steering/note-text.ts';
import type { Io } from '../surfaces/terminal/io.ts';
import { oneLine } from '../surfaces/terminal/sanitise.ts';
import { isOn, type RawFlags } from './flags.ts';
import { openWorkspace } from './open.ts';
import { printJson, printLines } from './print.ts';
import { steeringNow } from './steering-now.ts';
import { withRunLock } from './with-run-lock.ts';

/** `ralph answer ID TEXT` */
export async function answer([id = '', ...words]: readonly string[], flags: RawFlags, io: Io): Promise<number> {
  const answered = await answerQuestion(flags, io, id, words.join(' '));
  if (isOn(flags, 'json')) printJson(io, answered);
  else printLines(io, [answeredText(answered)]);
  return 0;
}

export interface Answered {
  readonly question: string;
  readonly story: string;
  /** False while a run is under way: it takes the answer itself. */
  readonly applied: boolean;
}

/**
 * Answers a question: at once where no run is under way, else by the run itself before its next iteration.
 * @throws UsageError for a text that no prompt should carry, and for a question that is not there or was answered
 */
export async function answerQuestion(flags: RawFlags, io: Io, id: string, words: string): Promise<Answered> {
  const text = words.replaceAll('\r\n', '\n').trim();
  const problem = noteProblem(text);
  if (problem !== null) throw new UsageError({ what: `the answer ${problem}` });
  const { git, workspace } = await openWorkspace(flags, io);
  const { root, stateDir } = git.repo;
  const question = openQuestion(await readLedger(stateDir), id);
  const { answers } = await steeringNow(git, null, io);
  const given = answers.find((one) => one.question === question.id);
  if (given) throw answeredAlready(question.id, given.text);
  const applied = await appliedAtOnce();
  if (!applied) await appendSteering(stateDir, { kind: 'answer', question: question.id, text, at: Date.now() });
  return { question: question.id, story: question.story, applied };

  /** False while a run holds the lock. */
  async function appliedAtOnce(): Promise<boolean> {
    try {
      await withRunLock(stateDir, 'ralph answer', async () => {
        const ledger = await readLedger(stateDir);
        const place = { root, stateDir, workspace, ledger };
        const outcome = await applyAnswer(place, { question: question.id, text }, Date.now());
        if ('refused' in outcome) throw new UsageError({ what: outcome.refused });
      });
      return true;
    } catch (error) {
      if (error instanceof LockedError) return false;
      throw error;
    }
  }
}

/** In a sentence. */
export function answeredText({ question, story, applied }: Answered): string {
  const name = oneLine(story);
  return applied
    ? `${question} is answered; ${name} is free again, and its prompts carry the answer. Go on with: ralph run`
    : `${question} is answered: a run is under way, and takes it before its next iteration on ${name}`;
}

/** @throws UsageError with the nearest id for one that nobody asked, or that was answered */
function openQuestion(ledger: readonly LedgerLine[], id: string): Question {
  const all = questionsOf(ledger);
  const found = all.find((one) => one.id.toLowerCase() === id.toLowerCase());
  if (found?.answer) throw answeredAlready(found.id, found.answer.text);
  if (found) return found;
  const near = nearest(
    id,
    all.filter((one) => one.answer === null).map((one) => one.id),
  );
  throw new UsageError({
    what: `there is no question '${id}'${near ? `; did you mean ${near}?` : ''}`,
    mend: ['`ralph questions` lists them'],
  });
}

function answeredAlready(id: string, text: string): UsageError {
  return new UsageError({
    what: `${id} was answered already: "${oneLine(text)}"`,
    why: 'an agent may have read it by now',
    mend: ['tell the agents more, or otherwise, with: ralph steer "…"'],
  });
}
