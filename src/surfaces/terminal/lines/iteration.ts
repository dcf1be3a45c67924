import type { CheckResult, Signals } from '../../../contracts/index.ts';
import { isRefused } from '../../../rules/proof.ts';
import {
  counted,
  elapsed,
  MODE_TEXT,
  oneLine,
  questionIn,
  reasonText,
  rescueName,
  resultOf,
  safeLines,
  shellWord,
  usedText,
} from '../../../rules/text/index.ts';
import { truncate } from '../layout.ts';
import type { Paint } from '../paint.ts';
import { failureLines } from './failure-lines.ts';
import type { Event, Lines, Page } from './page.ts';

/** One iteration from its selection to its end. */
export const ITERATION_LINES = {
  select: (event, page) => ['', header(event, page)],
  checkpoint: ({ head, durationMs }, { row, verbose }) =>
    verbose ? [row('start', `checkpoint of ${head.slice(0, 7)} in ${elapsed(durationMs)}`)] : [],
  // The live line shows it.
  'check-start': () => [],
  'progress-compacted': () => [],
  check: (event, page) => [
    page.row(
      event.iteration === 0 ? 'baseline' : 'check',
      checkLine(event.result, page.paint) + redBefore(event, page.paint),
    ),
    ...checkTail(event.result, page),
  ],
  // Once is enough: the agent was told when it wanted to stop.
  violation: ({ violation: { rule, message } }, { row, state, verbose }) =>
    state.stops.has(message) && !verbose ? [] : [row('rule', `${rule}: ${oneLine(message)}`, 'warn')],
  // The rule, or the verdict of a review, says why it is refused: also where it was tried long ago.
  proof: ({ proof }, { row }) => [
    isRefused(proof)
      ? row('proof', oneLine(proof.outcome), 'warn')
      : row(
          'proof',
          `${oneLine(proof.outcome)} · ${oneLine(proof.detail)}`,
          proof.outcome === 'proven' ? 'good' : 'warn',
        ),
  ],
  tampering: ({ path, line, detail }, { row }) => [
    row('tests', `${oneLine(path)}:${line}: ${oneLine(detail)}`, 'warn'),
  ],
  verdict: (event, { row, paint, state }) => {
    const { text, tone } = resultOf({ ...event, error: state.error });
    return [row('verdict', `${paint(tone, text)}${withDot(reasonText(event.reason))}`)];
  },
  story: ({ story, from, to, reason }, { row, paint, state, verbose }) => {
    // The verdict says what became of the iteration's own story, and a question has separate lines.
    if (!verbose && story === state.story && (to !== 'blocked' || questionIn(reason))) return [];
    const [why = ''] = oneLine(questionIn(reason) ? '' : reason).split('; the last: ');
    const id = oneLine(story);
    if (to === 'blocked' && why !== '')
      return [row('blocked', `${id}: ${why}; see \`ralph stories show ${shellWord(id)}\``, 'warn')];
    return [row('story', `${id}: ${words(from)} → ${paint('strong', words(to))}${why === '' ? '' : ` (${why})`}`)];
  },
  question: ({ question, story, text }, { row, paint }) => [
    row('question', `${paint('strong', question)} on ${oneLine(story)}: ${oneLine(text)}`, 'warn'),
    row('', paint('dim', `waits for your answer; other stories continue: ralph answer ${question} "…"`)),
  ],
  'false-completion': ({ storiesLeft, by }, { row }) => [
    row(
      'claim',
      `the agent says that everything is done (${oneLine(by)}), but ${storiesLeft === 1 ? '1 story is' : `${storiesLeft} stories are`} left`,
      'warn',
    ),
  ],
  signals: ({ signals }, { row }) => {
    const seen = signalWords(signals);
    return seen === '' ? [] : [row('signals', `${seen} (confidence ${signals.confidence} %)`)];
  },
  commit: ({ commit, subject, files }, { row, paint }) => [
    row('commit', `${paint('accent', commit.slice(0, 7))} ${oneLine(subject)} (${counted(files, 'file')})`),
  ],
  rollback: (event, { row }) => [row('rollback', rollback(event), 'warn')],
  'iteration-end': ({ durationMs }, { row, verbose }) => (verbose ? [row('end', `after ${elapsed(durationMs)}`)] : []),
} satisfies Partial<Lines>;

function header(event: Event<'select'>, { state, paint, clock, columns }: Page): string {
  const { iteration, used = iteration - 1, limit = state.maxIterations } = event;
  const facts = [
    ...(event.attempt > 1 ? [`attempt ${event.attempt}`] : []),
    ...(event.mode === 'review' && event.reviewCount > 0 ? [`review ${event.reviewCount + 1}`] : []),
  ];
  // Limited or interrupted iterations are free: their numbers run ahead of the used limit.
  const isAhead = iteration > used + 1;
  const at = clock(event);
  const position = `${at === null ? '' : `${at} `}${isAhead ? `[${iteration}]` : `[${iteration}/${limit}]`}`;
  const more = facts.length > 0 ? ` (${facts.join(', ')})` : '';
  const share = isAhead ? ` · ${usedText(used, limit)}` : '';
  const room = columns - position.length - 1 - more.length - share.length;
  const subject = truncate(
    `${MODE_TEXT[event.mode]} · ${oneLine(`${event.story} ${event.title}`)}`,
    Math.max(20, room),
  );
  return `${paint('dim', position)} ${paint('strong', subject)}${paint('warn', more)}${paint('dim', share)}`;
}

const RED_BEFORE = ' · failed before the run: blocks no story until it has passed once';

function redBefore({ iteration, baselineRed, result }: Event<'check'>, paint: Paint): string {
  if (iteration === 0) return result.ok ? '' : paint('warn', RED_BEFORE);
  if (!baselineRed) return '';
  return result.ok ? paint('good', ' · failed before, passes now') : paint('warn', ' · failed before the run, too');
}

function rollback({ rescue, files }: Event<'rollback'>): string {
  return rescue === null
    ? 'nothing to restore'
    : `${counted(files, 'file')} kept: ralph rescue show ${rescueName(rescue)}`;
}

function signalWords({ done, completion, testOnly }: Signals): string {
  return [
    ...(done ? ['everything is done'] : completion ? ['mentions completion'] : []),
    ...(testOnly ? ['only tests'] : []),
  ].join(', ');
}

const withDot = (text: string) => (text === '' ? '' : ` · ${text}`);

/** A review state in words; the file's `null` is a story not worked on yet. */
function words(state: string): string {
  return state === 'null' ? 'to do' : oneLine(state).replaceAll('_', ' ');
}

const SHOWN_LINES = 8;

/** A check that the loop ran, or whose result it knew, and how it ended. */
function checkLine(result: CheckResult, paint: Paint): string {
  const { ok, command, exitCode, timedOut, durationMs, tests, known, flaky, notSetUp } = result;
  const took = known ? 'not run again: same files' : elapsed(durationMs);
  const count = ok && tests?.passed ? ` · ${counted(tests.passed, 'test')}` : '';
  const more = flaky ? paint('warn', ' · flaky: failed, then passed') : '';
  if (ok) return `${paint('good', '✓')} ${oneLine(command)} ${paint('dim', `${took}${count}`)}${more}`;
  const masked = exitCode === 0 ? 'exit 0, but its tests failed' : `exit ${exitCode}`;
  const how = timedOut ? 'timed out' : exitCode === null ? 'killed' : masked;
  const end = notSetUp === undefined ? how : `not run: \`${oneLine(notSetUp)}\` failed`;
  return `${paint('bad', '✗')} ${oneLine(command)} ${paint('bad', end)} ${paint('dim', took)}`;
}

/** A failed check's output about the first failure; else its end. */
function checkTail({ ok, tail, known, notSetUp }: CheckResult, page: Page): readonly string[] {
  const { paint, columns, verbose, state } = page;
  // That of the same files was shown when it ran, and that of a set-up with the first check that it stopped.
  const isTold = known || (notSetUp !== undefined && state.setUpTail === tail);
  if (ok || (isTold && !verbose)) return [];
  const lines = failureLines(safeLines(tail), SHOWN_LINES);
  return lines.map((line) => paint('dim', truncate(`    │ ${line}`, columns)));
}
