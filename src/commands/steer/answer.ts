import { appendSteering, readDocument, readLedger } from '../../adapters/workspace/index.ts';
import { type LedgerLine, LockedError, type Story, UsageError } from '../../contracts/index.ts';
import { type Question, questionsOf } from '../../rules/safeguards/index.ts';
import { noteProblem, type PendingAnswer, unawaited, waitsFor } from '../../rules/steering/index.ts';
import { moment, oneLine, safeLines, type Tone } from '../../rules/text/index.ts';
import { type Io, type Paint, paintFor } from '../../surfaces/terminal/index.ts';
import { isOn, type RawFlags, unknownName } from '../shared/flags.ts';
import { steeringNow } from '../shared/live-run.ts';
import { openWorkspace, withRunLock } from '../shared/open.ts';
import { printResult } from '../shared/print.ts';
import { applySaid } from '../stories/say.ts';

export async function answer([id = '', ...words]: readonly string[], flags: RawFlags, io: Io): Promise<number> {
  const answered = await answerQuestion(flags, io, id, words.join(' '));
  return printResult(io, flags, answered, [answeredText(answered)]);
}

/**
 * Answers a question: at once where no run is active, else through the run, before its next iteration.
 * @returns `applied`: false while a run is active, which takes the answer itself; `unawaited`: why the story does not
 *   wait for it any more, as far as is known, to complete "it …"; null when it does
 * @throws UsageError for a text that no prompt should include, and for an unknown or answered question
 */
export async function answerQuestion(flags: RawFlags, io: Io, id: string, words: string) {
  const text = words.replaceAll('\r\n', '\n').trim();
  const problem = noteProblem(text);
  if (problem !== null) throw new UsageError({ what: `the answer ${problem}` });
  const { git, workspace } = await openWorkspace(flags, io);
  const { stateDir } = git.repo;
  const question = openQuestion(await readLedger(stateDir), id);
  const { answers, decisions } = await steeringNow(git, null, io);
  const given = answers.find((one) => one.question === question.id);
  if (given) throw answeredAlready(question.id, given.text);
  const applied = await applyNow();
  if (!applied) await leaveAnswer();
  return {
    question: question.id,
    story: question.story,
    applied: applied !== null,
    unawaited: applied ? applied.unawaited : await unawaitedNow(),
  };

  /** null while a run holds the lock. */
  async function applyNow(): Promise<{ readonly unawaited: string | null } | null> {
    try {
      return await withRunLock(stateDir, 'ralph answer', async () => {
        // Another process may have answered while this one waited for the lock.
        openQuestion(await readLedger(stateDir), question.id);
        await leaveAnswer();
        const applied = await applySaid({ git, workspace }, io);
        const own = applied.find(({ word }) => word.kind === 'answer' && word.question === question.id);
        if (own?.kind === 'refused') throw new UsageError({ what: own.why });
        return { unawaited: own?.kind === 'done' ? own.left : null };
      });
    } catch (error) {
      if (error instanceof LockedError && error.byRun) return null;
      throw error;
    }
  }

  /** As far as can be determined beside a run: a working agent may have left the backlog half-written. */
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

  /** Of several answers left at once the first in the file counts: which one that is shows only after writing. */
  async function leaveAnswer(): Promise<void> {
    const { id } = question;
    await appendSteering(stateDir, { kind: 'answer', question: id, text, at: Date.now() });
    const left = (await steeringNow(git, null, io)).answers.find((one) => one.question === id);
    const holds = left?.text ?? questionsOf(await readLedger(stateDir)).find((one) => one.id === id)?.answer?.text;
    if (holds !== undefined && holds !== text) throw answeredAlready(id, holds);
  }
}

export function answeredText(answered: Awaited<ReturnType<typeof answerQuestion>>): string {
  const { question, story, applied, unawaited: why } = answered;
  const name = oneLine(story);
  const when = applied ? '' : ', and the current run uses the answer before its next iteration';
  if (why !== null) {
    return `${question} is answered${when}, but ${name} no longer waits for it: it ${oneLine(why)}`;
  }
  return applied
    ? `${question} is answered; ${name} is unblocked, and its prompts contain the answer. Continue with: ralph run`
    : `${question} is answered: the current run uses it before its next iteration on ${name}`;
}

/** @throws UsageError with the nearest id for an unknown or answered question */
function openQuestion(ledger: readonly LedgerLine[], id: string): Question {
  const all = questionsOf(ledger);
  const found = all.find((one) => one.id.toLowerCase() === id.toLowerCase());
  if (found?.answer) throw answeredAlready(found.id, found.answer.text);
  if (found) return found;
  const open = all.filter((one) => one.answer === null).map((one) => one.id);
  throw unknownName('question', id, open, ['`ralph questions` lists them']);
}

function answeredAlready(id: string, text: string): UsageError {
  return new UsageError({
    what: `${id} was already answered: "${oneLine(text)}"`,
    why: 'an agent may already have read it',
    fix: ['to tell the agents more or something else: ralph steer "…"'],
  });
}

/**
 * `open`: its story waits. `given`: answered, but no run has taken the answer yet. `moot`: not answered, and the story
 * does not wait any more.
 */
type QuestionState = 'open' | 'given' | 'answered' | 'moot';

type QuestionView = ReturnType<typeof view>;

export async function questions(_args: readonly string[], flags: RawFlags, io: Io): Promise<number> {
  const { git, workspace } = await openWorkspace(flags, io);
  const [ledger, { answers }, stories] = await Promise.all([
    readLedger(git.repo.stateDir),
    steeringNow(git, null, io),
    // A working agent may have left the file half-written: the ledger still has the questions.
    workspace.backlog === null ? null : readDocument(workspace).then(({ document }) => document?.backlog.stories),
  ]);
  const all = questionsOf(ledger).map((question) => view(question, answers, stories ?? null));
  const waiting = all.filter(({ state }) => state === 'open' || state === 'given');
  const shown = isOn(flags, 'all') ? [...waiting, ...all.filter((one) => !waiting.includes(one))] : waiting;
  return printResult(io, flags, { questions: shown }, renderQuestions(shown, all.length, paintFor(io)));
}

function view(question: Question, answers: readonly PendingAnswer[], stories: readonly Story[] | null) {
  const { id, story: storyId, text, at, run, iteration } = question;
  const story = stories?.find((one) => one.id === storyId);
  const pending = answers.find((one) => one.question === id);
  const waits = stories === null || waitsFor(story, id);
  const unanswered = pending ? 'given' : waits ? 'open' : 'moot';
  const state: QuestionState = question.answer ? 'answered' : unanswered;
  return {
    id,
    state,
    story: storyId,
    /** null when the backlog does not have the story, or cannot be read now. */
    title: story?.title ?? null,
    text,
    at,
    run,
    iteration,
    answer: question.answer?.text ?? pending?.text ?? null,
  };
}

const STATES: Readonly<Record<QuestionState, { readonly words: string; readonly tone: Tone }>> = {
  open: { words: 'open', tone: 'warn' },
  given: { words: 'answered, from the next iteration on', tone: 'good' },
  answered: { words: 'answered', tone: 'good' },
  moot: { words: 'not answered; the story no longer waits for it', tone: 'dim' },
};

function renderQuestions(shown: readonly QuestionView[], total: number, paint: Paint): readonly string[] {
  if (shown.length === 0) {
    return [total === 0 ? 'no questions yet' : 'no open questions; the old ones: ralph questions --all'];
  }
  const open = shown.find(({ state }) => state === 'open');
  return [
    ...shown.flatMap((question) => [...renderQuestion(question, paint), '']),
    ...(open ? [`${paint('dim', 'answer with:')} ralph answer ${open.id} "…"`] : []),
  ].slice(0, open ? undefined : -1);
}

function renderQuestion({ id, state, story, title, text, at, answer }: QuestionView, paint: Paint): readonly string[] {
  const { words, tone } = STATES[state];
  return [
    `${paint('strong', id)}  ${paint(tone, words)} · ${oneLine(`${story} ${title ?? ''}`)} · asked ${moment(at)}`,
    ...safeLines(text).map((line) => `    ${line}`.trimEnd()),
    ...(answer === null ? [] : safeLines(answer).map((line, i) => `    ${i === 0 ? '→' : ' '} ${line}`.trimEnd())),
  ];
}
