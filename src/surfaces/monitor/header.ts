import type { RunState } from '../../contracts/index.ts';
import {
  allTokens,
  BREAKER_TONE,
  counted,
  dollars,
  elapsed,
  MODE_TEXT,
  oneLine,
  outcomeOf,
  questionIn,
  stopwatch,
  type Tone,
  tokens,
} from '../../rules/text/index.ts';
import { durationOf, goOnCommand, type RunView } from '../../rules/view/index.ts';
import { displayWidth, type Paint, truncate, widthOf } from '../terminal/index.ts';
import { type Asked, type Canvas, type Scene, STATE_TEXT, type StreamTab } from './scene.ts';
import { apart, bar, cutStyled, flow, LABEL, labelled } from './styled.ts';

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

/** Below this width only changing facts are shown. */
const NARROW = 60;

/** The run, its progress, its task and its time: two lines. Pure. */
export function header(scene: Scene, canvas: Canvas): readonly string[] {
  const { paint, width } = canvas;
  const name = paint('strong', oneLine(scene.streams[scene.selected]?.project.name ?? 'ralph'));
  const { view, state } = scene;
  if (view === null) return [cutStyled(name, width), scene.run === null ? '' : cutStyled(scene.run, width)];
  const sign = state === null ? [] : [paint(STATE_TONE[state], STATE_TEXT[state])];
  const isNarrow = width < NARROW;
  const facts = [
    ...(isNarrow ? [] : [name]),
    ...sign,
    paint('strong', position(view, isNarrow)),
    ...work(view, isNarrow),
  ];
  return [
    apart(facts.join('  '), stopwatch(durationOf(view, state === 'cut-off' ? null : canvas.now)), width),
    paint('dim', cutStyled(surroundings(scene, view), width)),
  ];
}

function position({ now, iterations, maxIterations, used }: RunView, isNarrow: boolean): string {
  const iteration = Math.max(now.iteration, iterations.at(-1)?.iteration ?? 0);
  if (isNarrow) return `${iteration}/${maxIterations}`;
  if (iteration === 0) return 'no iteration yet';
  // Limited or interrupted iterations are free: their numbers run ahead of the limit.
  return iteration > used + 1
    ? `iteration ${iteration}, ${used} of ${maxIterations} used`
    : `iteration ${iteration} of ${maxIterations}`;
}

/** The banner says how an ended run ended. */
function work({ now, ended }: RunView, isNarrow: boolean): readonly string[] {
  if (ended || now.story === null || now.mode === null) return [];
  const mode = MODE_TEXT[now.mode];
  return [isNarrow ? `${oneLine(now.story)} ${mode}` : `${mode} · ${oneLine(`${now.story} ${now.title ?? ''}`)}`];
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

/** The most important message: how it ended, or how to continue. Pure. */
export function banner(scene: Scene, { paint, width }: Canvas): readonly string[] {
  const { view, state, asked, streams, selected } = scene;
  const flowing = (tone: Tone, said: string, way: string) =>
    flow([paint(tone, said), paint('strong', way)], width, ' ');
  if (state === 'cut-off') return flowing('bad', 'the run was cut off.', '`ralph run` recovers it');
  if (state === 'between') {
    const command = goOnCommand(streams[selected]?.project.root ?? '');
    return flowing('accent', 'between two turns.', `\`${command}\` continues`);
  }
  if (asked !== null && view !== null && !view.ended && state !== 'paused') {
    const words = ASKED_TEXT[asked].map((text) => paint('warn', text));
    return flow(words, width, ' ');
  }
  if (!view?.ended) return [];
  const { reason, exitCode, summary } = view.ended;
  const { text, tone } = outcomeOf(reason, view.lonePrompt, view.storyCounts);
  const said = oneLine(summary);
  const head = `${paint(tone, text)} (exit ${exitCode})`;
  return [cutStyled(said === '' || text.endsWith(said) ? head : `${head} · ${said}`, width)];
}

const ASKED_TEXT: Readonly<Record<Asked, readonly string[]>> = {
  pause: ['pauses after this iteration:', 'p cancels that'],
  stop: ['stops after this iteration:', 'p cancels that'],
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
  // The chosen one is always shown, and a count replaces those that are not.
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

/** As many of the tabs as fit, at least one. */
function fitting(tabs: readonly string[], columns: number): readonly string[] {
  let count = 1;
  while (count < tabs.length && widthOf(tabs.slice(0, count + 1).join(' ')) <= columns) count += 1;
  return tabs.slice(0, count);
}

const HOUR = 3_600_000;

/** A figure about the run's progress, or a sign of its end. */
export interface Gauge {
  readonly label: string;
  /** The words beside the bar; complete without it. */
  readonly text: string;
  /** 0 to 1; null where there is no total. */
  readonly share: number | null;
  readonly tone: Tone;
}

/** The gauges that have something to show, the most informative first. `until`: the last moment of the run so far. Pure. */
export function gaugesOf(view: RunView, now: number, until: number): readonly Gauge[] {
  return [
    contextGauge(view),
    callsGauge(view, now),
    costGauge(view),
    breakerGauge(view),
    storiesGauge(view),
    iterationsGauge(view),
    claimsGauge(view),
    questionsGauge(view),
    budgetsGauge(view, until),
  ].filter(({ text }) => text !== '');
}

/** A gauge in the tone of its share, where no other is given. */
function gauge(label: string, text: string, share: number | null, tone: Tone = scale(share)): Gauge {
  return { label, text, share, tone };
}

function contextGauge({ now: { context } }: RunView): Gauge {
  if (context === null) return gauge('context', '-', null, 'dim');
  // The size of the window is unknown, so no share is shown.
  if (context.percent === null) return gauge('context', `${tokens(context.tokens)} tokens`, null);
  const of = context.window === null ? '' : ` of ${tokens(context.window)}`;
  return gauge('context', `${Math.round(context.percent)}%${of}`, context.percent / 100);
}

function callsGauge({ calls, limits }: RunView, now: number): Gauge {
  const count = calls.filter((at) => at > now - HOUR).length;
  if (limits === null) return gauge('calls/h', String(count), null);
  return gauge('calls/h', `${count} of ${limits.calls}`, count / limits.calls);
}

function costGauge({ costUsd, limits }: RunView): Gauge {
  const most = limits?.maxCost ?? null;
  if (most === null) return gauge('cost', dollars(costUsd), null);
  return gauge('cost', `${dollars(costUsd)} of ${dollars(most)}`, costUsd / most);
}

function breakerGauge({ breaker: { state, reason } }: RunView): Gauge {
  const why = state === 'closed' || reason === '' ? '' : `: ${oneLine(reason)}`;
  return gauge('breaker', `${state}${why}`, null, BREAKER_TONE[state]);
}

function storiesGauge({ storyCounts: { total, done, blocked }, lonePrompt, exit }: RunView): Gauge {
  if (lonePrompt)
    return gauge('done', exit.signals?.done ? 'the agent says so' : 'not yet, says the agent', null, 'dim');
  const text = `${done} of ${total}, ${total - done} left${blocked > 0 ? `, ${blocked} blocked` : ''}`;
  return gauge('stories', text, total === 0 ? null : done / total, 'good');
}

function iterationsGauge({ used, maxIterations: most }: RunView): Gauge {
  return gauge('iterations', `${used} of ${most}, ${Math.max(0, most - used)} left`, most === 0 ? null : used / most);
}

/** Agents' claims that the work is done, and what came of them. */
function claimsGauge({ exit: { falseCompletions, stopRefusals, signals, condition } }: RunView): Gauge {
  if (condition !== null) return gauge('claims', `exit condition ${oneLine(condition)} is met`, null, 'warn');
  const parts = [
    ...(signals?.done ? ['done'] : signals?.completion ? ['completion'] : []),
    ...(signals?.testOnly ? ['only tests'] : []),
    ...(falseCompletions > 0 ? [`${falseCompletions} too early`] : []),
    ...(stopRefusals > 0 ? [counted(stopRefusals, 'refused stop')] : []),
  ];
  return gauge('claims', parts.join(', '), null, parts.length > 0 ? 'warn' : 'dim');
}

function questionsGauge(view: RunView): Gauge {
  const count = openQuestions(view).length;
  const text = count === 0 ? '' : `${count} ${count === 1 ? 'waits' : 'wait'} for you (a)`;
  return gauge('asked', text, null, count > 0 ? 'warn' : 'dim');
}

function budgetsGauge(view: RunView, now: number): Gauge {
  const { maxCost = null, maxTokens = null, maxDurationMs = null } = view.limits ?? {};
  const parts = [
    ...(maxCost === null ? [] : [`${dollars(Math.max(0, maxCost - view.costUsd))} left`]),
    ...(maxTokens === null ? [] : [`${tokens(allTokens(view.usage))} of ${tokens(maxTokens)} tokens`]),
    ...(maxDurationMs === null ? [] : [`${elapsed(Math.max(0, maxDurationMs - durationOf(view, now)))} left`]),
  ];
  return gauge('budgets', parts.join(', '), null, 'dim');
}

/** The nearer to its limit, the more prominent. */
function scale(share: number | null): Tone {
  if (share === null || share < 0.7) return 'accent';
  return share < 0.9 ? 'warn' : 'bad';
}

/** The longest words for which a bar gets shorter: `12 of 34, 22 left`. */
const WORDS = 17;
const BAR = { least: 6, most: 20 };

/** A gauge as a line of at most `width` columns: label, bar where there is a total, words. Pure. */
export function gaugeLine({ label, text, share, tone }: Gauge, width: number, paint: Paint): string {
  const room = width - LABEL;
  if (share === null) return labelled(label, paint(tone, wholeParts(text, room)), paint);
  const barWidth = Math.min(BAR.most, Math.max(BAR.least, room - 1 - WORDS));
  return labelled(label, `${bar(share, barWidth, paint, tone)} ${wholeParts(text, room - barWidth - 1)}`, paint);
}

/** `3 of 14, 11 left, 1 blocked` without the parts that do not fit, dropped from the end. */
function wholeParts(text: string, columns: number): string {
  const at = text.lastIndexOf(', ');
  return displayWidth(text) <= columns || at < 0 ? text : wholeParts(text.slice(0, at), columns);
}

/** A gauge in a few words, where there is no room for bars. Pure. */
export function gaugeWords({ label, text, share, tone }: Gauge, paint: Paint): string {
  return `${paint('dim', label)} ${share === null ? paint(tone, text) : text}`;
}

/** Questions that stories still wait for, earlier runs' included. Pure. */
export function openQuestions({
  stories,
}: RunView): readonly { readonly id: string; readonly text: string; readonly story: string }[] {
  return stories.flatMap((story) => {
    const question = questionIn(story.blocked ?? undefined);
    return question === null ? [] : [{ ...question, story: story.id }];
  });
}
