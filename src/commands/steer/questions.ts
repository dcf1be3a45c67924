import { readDocument } from '../../adapters/workspace/backlog/document.ts';
import { readLedger } from '../../adapters/workspace/records/ledger.ts';
import type { Story } from '../../contracts/model.ts';
import { waitsFor } from '../../loop/persons/answer.ts';
import { type Question, questionsOf } from '../../rules/safeguards/questions.ts';
import type { PendingAnswer } from '../../rules/steering/steering.ts';
import { moment } from '../../surfaces/terminal/format.ts';
import type { Io } from '../../surfaces/terminal/io.ts';
import { type Paint, paintFor, type Tone } from '../../surfaces/terminal/paint.ts';
import { oneLine, safeLines } from '../../surfaces/terminal/sanitise.ts';
import { isOn, type RawFlags } from '../shared/flags.ts';
import { openWorkspace } from '../shared/open.ts';
import { printJson, printLines } from '../shared/print.ts';
import { steeringNow } from '../status/steering-now.ts';

/**
 * `open`: its story waits. `given`: answered, but no run has taken the answer yet. `moot`: nobody answered, and the
 * story does not wait any more.
 */
type QuestionState = 'open' | 'given' | 'answered' | 'moot';

interface QuestionView {
  readonly id: string;
  readonly state: QuestionState;
  readonly story: string;
  /** null when the backlog does not have the story, or cannot be read now. */
  readonly title: string | null;
  readonly text: string;
  /** Epoch ms. */
  readonly at: number;
  readonly run: string;
  readonly iteration: number;
  readonly answer: string | null;
}

/** `ralph questions [--all]` */
export async function questions(_args: readonly string[], flags: RawFlags, io: Io): Promise<number> {
  const { git, workspace } = await openWorkspace(flags, io);
  const [ledger, { answers }, stories] = await Promise.all([
    readLedger(git.repo.stateDir),
    steeringNow(git, null, io),
    // An agent at work may have left the file half-written: the questions are in the ledger all the same.
    workspace.backlog === null ? null : readDocument(workspace).then(({ document }) => document?.backlog.stories),
  ]);
  const all = questionsOf(ledger).map((question) => view(question, answers, stories ?? null));
  const waiting = all.filter(({ state }) => state === 'open' || state === 'given');
  const shown = isOn(flags, 'all') ? [...waiting, ...all.filter((one) => !waiting.includes(one))] : waiting;
  if (isOn(flags, 'json')) printJson(io, { questions: shown });
  else printLines(io, renderQuestions(shown, all.length, paintFor(io)));
  return 0;
}

function view(question: Question, answers: readonly PendingAnswer[], stories: readonly Story[] | null): QuestionView {
  const { id, story: storyId, text, at, run, iteration } = question;
  const story = stories?.find((one) => one.id === storyId);
  const pending = answers.find((one) => one.question === id);
  const waits = stories === null || waitsFor(story, id);
  const unanswered = pending ? 'given' : waits ? 'open' : 'moot';
  return {
    id,
    state: question.answer ? 'answered' : unanswered,
    story: storyId,
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
  moot: { words: 'not answered; the story does not wait for it any more', tone: 'dim' },
};

/** Pure. */
function renderQuestions(shown: readonly QuestionView[], total: number, paint: Paint): readonly string[] {
  if (shown.length === 0) {
    return [total === 0 ? 'no agent has asked anything' : 'no question is open; the old ones: ralph questions --all'];
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
