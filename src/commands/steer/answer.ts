import { readDocument } from '../../adapters/workspace/backlog/document.ts';
import { readLedger } from '../../adapters/workspace/records/ledger.ts';
import { appendSteering } from '../../adapters/workspace/records/steering-file.ts';
import { LockedError, UsageError } from '../../contracts/errors.ts';
import type { LedgerLine } from '../../contracts/state/ledger.ts';
import { applyAnswer, unawaited } from '../../loop/persons/answer.ts';
import { nearest } from '../../rules/nearest.ts';
import { type Question, questionsOf } from '../../rules/safeguards/questions.ts';
import { noteProblem } from '../../rules/steering/note-text.ts';
import type { Io } from '../../surfaces/terminal/io.ts';
import { oneLine } from '../../surfaces/terminal/sanitise.ts';
import { isOn, type RawFlags } from '../shared/flags.ts';
import { openWorkspace } from '../shared/open.ts';
import { printJson, printLines } from '../shared/print.ts';
import { withRunLock } from '../shared/with-run-lock.ts';
import { steeringNow } from '../status/steering-now.ts';

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
  /** Why the story does not wait for it any more, as far as is known; null when it does. Completes "it …". */
  readonly unawaited: string | null;
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
  const { answers, decisions } = await steeringNow(git, null, io);
  const given = answers.find((one) => one.question === question.id);
  if (given) throw answeredAlready(question.id, given.text);
  const applied = await appliedAtOnce();
  if (!applied) await leaveAnswer();
  return {
    question: question.id,
    story: question.story,
    applied: applied !== null,
    unawaited: applied ? applied.unawaited : await unawaitedNow(),
  };

  /** null while a run holds the lock. */
  async function appliedAtOnce(): Promise<Pick<Answered, 'unawaited'> | null> {
    try {
      return await withRunLock(stateDir, 'ralph answer', async () => {
        const ledger = await readLedger(stateDir);
        // Somebody else may have been first while the lock was waited for.
        openQuestion(ledger, question.id);
        const place = { root, stateDir, workspace, ledger };
        const outcome = await applyAnswer(place, { question: question.id, text }, Date.now());
        if ('refused' in outcome) throw new UsageError({ what: outcome.refused });
        return { unawaited: outcome.unawaited };
      });
    } catch (error) {
      if (error instanceof LockedError && error.byRun) return null;
      throw error;
    }
  }

  /** As far as it can be told beside a run: an agent at work may have left the backlog half-written. */
  async function unawaitedNow(): Promise<string | null> {
    if (decisions.some((one) => one.story === question.story && one.decision === 'approve'))
      return 'is approved by then';
    if (workspace.backlog === null) return null;
    const { document } = await readDocument(workspace);
    const stories = document?.backlog.stories;
    return stories
      ? unawaited(
          stories.find(({ id: one }) => one === question.story),
          question.id,
        )
      : null;
  }

  /** Of several that are left at once the first in the file holds: whose it is shows once it is in there. */
  async function leaveAnswer(): Promise<void> {
    const { id } = question;
    await appendSteering(stateDir, { kind: 'answer', question: id, text, at: Date.now() });
    const left = (await steeringNow(git, null, io)).answers.find((one) => one.question === id);
    const holds = left?.text ?? questionsOf(await readLedger(stateDir)).find((one) => one.id === id)?.answer?.text;
    if (holds !== undefined && holds !== text) throw answeredAlready(id, holds);
  }
}

/** In a sentence. */
export function answeredText({ question, story, applied, unawaited: why }: Answered): string {
  const name = oneLine(story);
  const when = applied ? '' : ', and the run under way takes the answer before its next iteration';
  if (why !== null) {
    return `${question} is answered${when}, but ${name} does not wait for it any more: it ${oneLine(why)}`;
  }
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
