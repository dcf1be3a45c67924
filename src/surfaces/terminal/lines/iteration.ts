import type { Signals } from '../../../contracts/state/ledger.ts';
import { isRefused } from '../../../rules/proof/outcome.ts';
import { rescueName } from '../../../rules/rescue-name.ts';
import { counted, elapsed } from '../format.ts';
import type { Paint } from '../paint.ts';
import { oneLine } from '../sanitise.ts';
import { MODE_TEXT, questionIn, usedText, VERDICT_TONE } from '../words.ts';
import { checkLine, checkTail } from './check.ts';
import type { Event, Lines, Page } from './page.ts';

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
  // Why it is refused is told by the rule, or by the verdict of a review: also where it was tried long ago.
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
    // A question has lines of its own.
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
  // Iterations that were limited or interrupted are free: their numbers run ahead of what was used of the limit.
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

/** No more than was looked at: of ignored files, those that tools make again and large ones are left alone. */
const AS_BEFORE = 'the work tree is as before, as git sees it';

function rollback({ rescue, files }: Event<'rollback'>): string {
  return rescue === null
    ? `${AS_BEFORE}; nothing had to be kept`
    : `${AS_BEFORE}; ${counted(files, 'file')} kept: ralph rescue show ${rescueName(rescue)}`;
}

function signalWords({ done, completion, testOnly }: Signals): string {
  return [
    ...(done ? ['everything is done'] : completion ? ['speaks of completion'] : []),
    ...(testOnly ? ['only tests'] : []),
  ].join(', ');
}

/** A review state as people say it; the file's `null` is a story nobody has worked on. */
function words(state: string): string {
  return state === 'null' ? 'to do' : oneLine(state).replaceAll('_', ' ');
}
