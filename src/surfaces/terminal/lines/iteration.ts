import type { CheckResult, Signals } from '../../../contracts/index.ts';
import { isRefused } from '../../../rules/proof/index.ts';
import {
  counted,
  elapsed,
  MODE_TEXT,
  oneLine,
  questionIn,
  rescueName,
  safeLines,
  usedText,
  VERDICT_TONE,
} from '../../../rules/text/index.ts';
import { truncate } from '../layout.ts';
import type { Paint } from '../paint.ts';
import { failureLines } from './failure-lines.ts';
import type { Event, Lines, Page, RenderOptions } from './page.ts';

/** One iteration from its selection to its end. */
export const ITERATION_LINES: Lines<
  | 'select'
  | 'checkpoint'
  | 'check-start'
  | 'check'
  | 'violation'
  | 'progress-compacted'
  | 'proof'
  | 'tampering'
  | 'verdict'
  | 'story'
  | 'question'
  | 'false-completion'
  | 'signals'
  | 'commit'
  | 'rollback'
  | 'iteration-end'
> = {
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
  violation: ({ violation }, { row }) => [row('rule', `${violation.rule}: ${oneLine(violation.message)}`, 'warn')],
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
  verdict: ({ verdict, reason }, { row, paint }) => [
    row('verdict', `${paint(VERDICT_TONE[verdict], verdict)} · ${oneLine(reason)}`),
  ],
  story: ({ story, from, to, reason }, { row, paint }) => {
    // A question has separate lines.
    const why = reason === '' || questionIn(reason) ? '' : ` (${oneLine(reason)})`;
    return [row('story', `${oneLine(story)}: ${words(from)} → ${paint('strong', words(to))}${why}`)];
  },
  question: ({ question, story, text }, { row, paint }) => [
    row('question', `${paint('strong', question)} on ${oneLine(story)}: ${oneLine(text)}`, 'warn'),
    row('', paint('dim', `it waits for you, the others go on: ralph answer ${question} "…"`)),
  ],
  'false-completion': ({ storiesLeft, by }, { row }) => [
    row(
      'claim',
      `"everything is done", says the agent (${oneLine(by)}); not so: ${counted(storiesLeft, 'story', 'stories')} left`,
      'warn',
    ),
  ],
  signals: ({ signals }, { row, verbose }) => {
    const seen = signalWords(signals);
    return verbose || seen !== '' ? [row('signals', `${seen || 'none'} (confidence ${signals.confidence})`)] : [];
  },
  commit: ({ commit, subject, files }, { row, paint }) => [
    row('commit', `${paint('accent', commit.slice(0, 7))} ${oneLine(subject)} (${counted(files, 'file')})`),
  ],
  rollback: (event, { row }) => [row('rollback', rollback(event), 'warn')],
  'iteration-end': ({ durationMs }, { row, verbose }) => (verbose ? [row('end', `after ${elapsed(durationMs)}`)] : []),
};

function header(event: Event<'select'>, { state, paint }: Page): string {
  const { iteration, used = iteration - 1, limit = state.maxIterations } = event;
  const facts = [
    ...(event.attempt > 1 ? [`attempt ${event.attempt}`] : []),
    ...(event.mode === 'review' && event.reviewCount > 0 ? [`review ${event.reviewCount + 1}`] : []),
  ];
  // Limited or interrupted iterations are free: their numbers run ahead of the used limit.
  const isAhead = iteration > used + 1;
  const position = paint('dim', isAhead ? `[${iteration}]` : `[${iteration}/${limit}]`);
  const subject = paint('strong', `${MODE_TEXT[event.mode]} · ${oneLine(`${event.story} ${event.title}`)}`);
  return `${position} ${subject}${facts.length > 0 ? paint('warn', ` (${facts.join(', ')})`) : ''}${isAhead ? paint('dim', ` · ${usedText(used, limit)}`) : ''}`;
}

const RED_BEFORE = ' · red before the run: it does not block, but once green it must stay green';

function redBefore({ iteration, baselineRed, result }: Event<'check'>, paint: Paint): string {
  if (iteration === 0) return result.ok ? '' : paint('warn', RED_BEFORE);
  if (!baselineRed) return '';
  return result.ok ? paint('good', ' · red before, now green') : paint('warn', ' · red before the run already');
}

/** Says no more than was checked: of ignored files, large ones and those that tools regenerate are left alone. */
const AS_BEFORE = 'the work tree is as before, as git sees it';

function rollback({ rescue, files }: Event<'rollback'>): string {
  return rescue === null
    ? `${AS_BEFORE}; nothing had to be kept`
    : `${AS_BEFORE}; ${counted(files, 'file')} kept: ralph rescue show ${rescueName(rescue)}`;
}

function signalWords({ done, completion, testOnly }: Signals): string {
  return [
    ...(done ? ['everything is done'] : completion ? ['mentions completion'] : []),
    ...(testOnly ? ['only tests'] : []),
  ].join(', ');
}

/** A review state in words; the file's `null` is a story not worked on yet. */
function words(state: string): string {
  return state === 'null' ? 'to do' : oneLine(state).replaceAll('_', ' ');
}

const SHOWN_LINES = 8;

/** A check that the loop ran, or whose result it knew, and how it ended. */
function checkLine(result: CheckResult, paint: Paint): string {
  const { ok, command, exitCode, timedOut, durationMs, tests, known, flaky, notSetUp } = result;
  const took = known ? 'known: the same tree was checked before' : elapsed(durationMs);
  const count = ok && tests?.passed ? ` · ${counted(tests.passed, 'test')}` : '';
  const more = flaky ? paint('warn', ' · flaky: red first, green when run again') : '';
  if (ok) return `${paint('good', '✓')} ${oneLine(command)} ${paint('dim', `${took}${count}`)}${more}`;
  const masked = exitCode === 0 ? 'exit 0, but its tests failed' : `exit ${exitCode}`;
  const how = timedOut ? 'timed out' : exitCode === null ? 'killed' : masked;
  const end = notSetUp === undefined ? how : `not run: \`${oneLine(notSetUp)}\` failed`;
  return `${paint('bad', '✗')} ${oneLine(command)} ${paint('bad', end)} ${paint('dim', took)}`;
}

/** A failed check's output about the first failure; else its end. */
function checkTail({ ok, tail }: CheckResult, { paint, columns }: RenderOptions): readonly string[] {
  if (ok) return [];
  const lines = failureLines(safeLines(tail), SHOWN_LINES);
  return lines.map((line) => paint('dim', truncate(`    │ ${line}`, columns)));
}
