import type { RunState } from '../../contracts/catalogue.ts';
import { durationOf } from '../../rules/view/duration.ts';
import type { RunView } from '../../rules/view/model.ts';
import { goOnCommand } from '../../rules/view/stream-place.ts';
import { stopwatch } from '../terminal/format.ts';
import type { Tone } from '../terminal/paint.ts';
import { oneLine } from '../terminal/sanitise.ts';
import { truncate } from '../terminal/width.ts';
import { MODE_TEXT, outcomeOf } from '../terminal/words.ts';
import { type Asked, type Canvas, type Scene, STATE_TEXT, type StreamTab } from './scene.ts';
import { apart, cutStyled, flow, styledWidth } from './styled.ts';

const STATE_TONE: Readonly<Record<RunState, Tone>> = {
  running: 'good',
  waiting: 'warn',
  paused: 'warn',
  ended: 'accent',
  between: 'accent',
  'cut-off': 'bad',
};

/** A work tree's name is cut to this in its tab. */
const LONGEST_NAME = 24;

/** Below this only what changes is told. */
const NARROW = 60;

/** Which run, how far, on what, for how long: two lines. Pure. */
export function header(scene: Scene, canvas: Canvas): readonly string[] {
  const { paint, width } = canvas;
  const name = paint('strong', oneLine(scene.streams[scene.selected]?.project.name ?? 'ralph'));
  const { view, state } = scene;
  if (view === null) return [cutStyled(name, width), scene.run === null ? '' : cutStyled(scene.run, width)];
  const sign = state === null ? [] : [paint(STATE_TONE[state], STATE_TEXT[state])];
  const facts =
    width < NARROW
      ? [...sign, paint('strong', shortPosition(view)), ...shortWork(view)]
      : [name, ...sign, paint('strong', position(view)), ...work(view)];
  return [
    apart(facts.join('  '), stopwatch(durationOf(view, state === 'cut-off' ? null : canvas.now)), width),
    paint('dim', cutStyled(surroundings(scene, view), width)),
  ];
}

function position({ now, iterations, maxIterations, used }: RunView): string {
  const iteration = Math.max(now.iteration, iterations.at(-1)?.iteration ?? 0);
  if (iteration === 0) return 'no iteration yet';
  // Iterations that were limited or interrupted are free: their numbers run ahead of the limit.
  return iteration > used + 1
    ? `iteration ${iteration}, ${used} of ${maxIterations} used`
    : `iteration ${iteration} of ${maxIterations}`;
}

function shortPosition({ now, iterations, maxIterations }: RunView): string {
  return `${Math.max(now.iteration, iterations.at(-1)?.iteration ?? 0)}/${maxIterations}`;
}

function work({ now, ended }: RunView): readonly string[] {
  // The banner says how it ended.
  if (ended || now.story === null || now.mode === null) return [];
  return [`${MODE_TEXT[now.mode]} · ${oneLine(`${now.story} ${now.title ?? ''}`)}`];
}

function shortWork({ now, ended }: RunView): readonly string[] {
  return ended || now.story === null || now.mode === null ? [] : [`${oneLine(now.story)} ${MODE_TEXT[now.mode]}`];
}

function surroundings({ newest }: Scene, view: RunView): string {
  const agent = view.now.agent ?? view.agent;
  const model = view.now.model ?? view.model;
  return [
    newest ? view.run : `${view.run} (an earlier run; ] shows later ones)`,
    ...(agent === null ? [] : [oneLine(model === null ? agent : `${agent} (${model})`)]),
    ...(view.isolation === null ? [] : [`isolation ${oneLine(view.isolation)}`]),
    ...(view.branch === null ? [] : [oneLine(view.branch)]),
    ...(view.starts > 1 ? [`started ${view.starts} times`] : []),
  ].join(' · ');
}

/** What has to be said before anything else: how it ended, or how to go on. Pure. */
export function banner(scene: Scene, { paint, width }: Canvas): readonly string[] {
  const { view, state, asked, streams, selected } = scene;
  if (state === 'cut-off') {
    const words = [
      paint('bad', 'the run was cut off: nobody works on it.'),
      paint('strong', '`ralph run` picks it up'),
    ];
    return flow(words, width, ' ');
  }
  if (state === 'between') {
    const command = goOnCommand(streams[selected]?.project.root ?? '');
    const words = [
      paint('accent', 'between two turns: nobody works on it now.'),
      paint('strong', `\`${command}\` goes on`),
    ];
    return flow(words, width, ' ');
  }
  if (asked !== null && view !== null && !view.ended && state !== 'paused') {
    return flow(
      ASKED_TEXT[asked].map((words) => paint('warn', words)),
      width,
      ' ',
    );
  }
  if (!view?.ended) return [];
  const { reason, exitCode, summary } = view.ended;
  const { text, tone } = outcomeOf(reason, view.lonePrompt, view.storyCounts);
  const said = oneLine(summary);
  const head = `${paint(tone, text)} (exit ${exitCode})`;
  return [cutStyled(said === '' || text.endsWith(said) ? head : `${head} · ${said}`, width)];
}

const ASKED_TEXT: Readonly<Record<Asked, readonly string[]>> = {
  pause: ['pauses after this iteration:', 'p takes it back'],
  stop: ['stops after this iteration:', 'p takes it back'],
  'stop-now': ['stops now'],
};

/** The work trees to choose from, the chosen one in brackets; nothing where there is only one. Pure. */
export function streamTabs(
  streams: readonly StreamTab[],
  selected: number,
  { paint, width }: Canvas,
): readonly string[] {
  if (streams.length < 2) return [];
  const tabs = streams.map(({ project, state }, i) => {
    const mark = state === null ? '·' : (STATE_TEXT[state].split(' ')[0] ?? '');
    const text = `${i + 1} ${truncate(oneLine(project.name), LONGEST_NAME)} ${mark}`;
    return i === selected ? paint('strong', `[${text}]`) : paint('dim', ` ${text} `);
  });
  // The chosen one is always among those that are shown, and a count stands for those that are not.
  for (let from = 0; ; from += 1) {
    const shown = fitting(tabs.slice(from), width - (from === 0 ? MORE : MORE + 2));
    if (from < selected && from + shown.length <= selected) continue;
    const hidden = tabs.length - shown.length;
    const line = `${from === 0 ? '' : paint('dim', '… ')}${shown.join(' ')}`;
    return [hidden === 0 ? line : `${line}${paint('dim', ` … ${hidden} more (o)`)}`];
  }
}

/** Columns of ` … 123 more (o)`. */
const MORE = 15;

/** As many of the tabs as fit, one at least. */
function fitting(tabs: readonly string[], columns: number): readonly string[] {
  let count = 1;
  while (count < tabs.length && styledWidth(tabs.slice(0, count + 1).join(' ')) <= columns) count += 1;
  return tabs.slice(0, count);
}
