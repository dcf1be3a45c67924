import { AWAITS_APPROVAL } from '../../rules/backlog/index.ts';
import { oneLine, stopwatch, WAIT_TEXT } from '../../rules/text/index.ts';
import { isLive, type RunView } from '../../rules/view/index.ts';
import { type Paint, padEnd, silence, timeLeft } from '../terminal/index.ts';
import { choiceLines, dialogLine } from './dialogs.ts';
import { banner, type Gauge, gaugeLine, gaugesOf, gaugeWords, header, streamTabs } from './header.ts';
import {
  iterationsPane,
  judgedCount,
  judgedPane,
  logPane,
  logReach,
  logTail,
  storiesPane,
  storyLines,
} from './panes.ts';
import type { Reach } from './press.ts';
import { type Canvas, PANES, type Pane, type Scene, type Size, type Ui } from './scene.ts';
import { beside, cutStyled, fittingTexts, flow, labelled, rule } from './styled.ts';

interface Frame {
  /** One line fewer than the terminal has, each at least one column narrower: a full screen would scroll away. */
  readonly lines: readonly string[];
  readonly reach: Reach;
}

/** Below this height only the first line of the header is shown, and the overview has no title. */
const LOW = 16;
const MOST_TOLD = 4;
/** From this height on an empty line separates the header from the rest. */
const HIGH = 34;

export function frame(scene: Scene, ui: Ui, size: Size, now: number, paint: Paint): Frame {
  const rows = Math.max(1, size.rows - 1);
  // A column stays free on both sides: terminals differ in what they do after their last column.
  const width = Math.max(10, size.columns - 2);
  const canvas: Canvas = { paint, width, height: rows, now };
  const [first = '', second = ''] = header(scene, canvas);
  const isLow = rows < LOW;
  const told = banner(scene, canvas);
  const top = [
    first,
    // The screen must show that this is not the newest run, however low it is.
    ...(isLow && scene.newest ? [] : [second]),
    ...streamTabs(scene.streams, scene.selected, canvas),
    ...(scene.view === null || (isLow && ui.pane === 'overview') ? [] : [paneTabs(ui.pane, canvas)]),
    ...(rows < HIGH ? [] : ['']),
    ...(rows < HIGH || told.length === 0 ? told : [...told, '']),
  ];
  const bottom = foot(scene, ui, canvas).slice(0, Math.max(1, rows - 1));
  const height = Math.max(1, rows - top.length - bottom.length);
  const body = bodyOf(scene, ui, { ...canvas, height });
  const filled = Array.from({ length: height }, (_, i) => body[i] ?? '');
  // Questions and messages stay below everything, however low the screen is.
  const lines = [...[...top, ...filled].slice(0, rows - bottom.length), ...bottom];
  return {
    lines: lines.map((line) => (line === '' ? '' : ` ${cutStyled(line, width)}`)),
    reach: { most: reachOf(scene, ui, { ...canvas, height }), page: Math.max(1, height - 2) },
  };
}

function bodyOf(scene: Scene, ui: Ui, canvas: Canvas): readonly string[] {
  if (ui.choosing !== null) return choiceLines(scene, ui, canvas);
  if (ui.help) return helpLines(canvas, ui.scroll);
  if (scene.view === null) return nothingYet(scene, canvas);
  return BODIES[ui.pane](scene, scene.view, ui, canvas);
}

const BODIES: Readonly<Record<Pane, (scene: Scene, view: RunView, ui: Ui, canvas: Canvas) => readonly string[]>> = {
  overview,
  stories: (_scene, view, ui, canvas) => storiesPane(view, canvas, ui.scroll),
  log: ({ log }, _view, ui, canvas) => logPane(log, ui, canvas),
  iterations: (scene, view, ui, canvas) => iterationsPane(scene, view, canvas, ui.scroll),
  'denials & tests': (_scene, view, ui, canvas) => judgedPane(view, canvas, ui.scroll),
};

function reachOf({ view, log }: Scene, ui: Ui, canvas: Canvas): number {
  const { height } = canvas;
  if (ui.help) return Math.max(0, allLines(canvas.paint, canvas.width).length - Math.max(1, canvas.height - 1));
  if (view === null) return 0;
  switch (ui.pane) {
    case 'overview':
    case 'log':
      return logReach(log, ui, { height: height - 1 });
    case 'stories':
      return Math.max(0, view.stories.length - height + 1);
    case 'iterations':
      return Math.max(0, view.iterations.length - 1);
    case 'denials & tests':
      return Math.max(0, judgedCount(view) - height + 1);
  }
}

/** The chosen pane in brackets, so that it is visible without colours. */
function paneTabs(pane: Pane, { paint, width }: Canvas): string {
  const tabs = PANES.map((one) => (one === pane ? paint('strong', `[${one}]`) : paint('dim', ` ${one} `)));
  const line = fittingTexts(tabs, width, ' ');
  return line === tabs.join(' ') ? line : paint('strong', `[${pane}] ${PANES.indexOf(pane) + 1} of ${PANES.length}`);
}

function nothingYet({ trouble, run }: Scene, { paint, width }: Canvas): readonly string[] {
  if (trouble !== null) return ['', paint('bad', oneLine(trouble))];
  if (run !== null) return ['', paint('dim', 'reading the log …')];
  return [
    '',
    ...flow(['No run here yet:', 'it will appear once one starts.'], width, ' '),
    ...flow([paint('dim', '`ralph run` in another'), paint('dim', 'terminal starts one.')], width, ' '),
  ];
}

/** The question, else the result of the last key, else the keys. */
function foot(scene: Scene, ui: Ui, canvas: Canvas): readonly string[] {
  if (ui.dialog !== null) return [dialogLine(ui.dialog, canvas)];
  if (ui.message === null) return [keyHints(scene, canvas)];
  const { text, bad } = ui.message;
  // A message may name the command that helps: it wraps rather than lose its end.
  const words = `${bad ? '✗' : '✓'} ${oneLine(text)}`.split(' ');
  return flow(words, canvas.width, ' ')
    .slice(0, MOST_TOLD)
    .map((line) => canvas.paint(bad ? 'bad' : 'good', line));
}

/** From this height on there are empty lines between the parts. */
const AIRY = 30;
/** Below this width gauges and stories do not fit beside each other. */
const WIDE = 72;
const GAP = 3;
/** Lines of the log that the overview wants to show. */
const LOG_LINES = 20;
/** On a low screen the gauges come first. */
const fewestLogLines = (height: number) => (height < 12 ? 2 : 4);

/** Everything on one screen: current activity, gauges, stories, the end of the log. Pure. */
function overview(scene: Scene, view: RunView, ui: Ui, canvas: Canvas): readonly string[] {
  const { height, paint, width } = canvas;
  const now = [...nowLines(scene, view, canvas).slice(0, height < 10 ? 1 : 2)];
  if (now.length > 0 && height >= AIRY) now.push('');
  const gauges = gaugesOf(view, canvas.now, scene.state === 'cut-off' ? view.lastEventAt : canvas.now);
  const middle = width >= WIDE ? wide(view, gauges, now.length, canvas) : narrow(view, gauges, now.length, canvas);
  const room = height - now.length - middle.length - 1;
  const log = room < 1 ? [] : [rule('log', width, paint), ...logTail(scene.log, ui, { ...canvas, height: room })];
  return [...now, ...middle, ...log].slice(0, height);
}

/** Gauges beside stories, as tall as possible while the log keeps its lines. */
function wide(view: RunView, gauges: readonly Gauge[], above: number, canvas: Canvas): readonly string[] {
  const { width, paint, height } = canvas;
  const spare = height - above - 1;
  const stories = Math.max(gauges.length, Math.min(view.stories.length, spare - LOG_LINES));
  const lines = Math.max(1, Math.min(stories, spare - fewestLogLines(height)));
  const leftWidth = Math.min(56, Math.max(36, Math.floor(width * 0.46)));
  const left = gauges.slice(0, lines).map((gauge) => gaugeLine(gauge, leftWidth, paint));
  const right = storyLines(view, { ...canvas, width: width - leftWidth - GAP, height: lines }, 0);
  return beside(left, right, { leftWidth, gap: GAP, width });
}

/** Gauges as words, the most urgent first; below them the stories around the one at work. */
function narrow(view: RunView, gauges: readonly Gauge[], above: number, canvas: Canvas): readonly string[] {
  const { width, paint, height } = canvas;
  const spare = height - above - 1 - fewestLogLines(height);
  const telling = gauges.filter(({ text }) => text !== '-').toSorted((a, b) => urgency(b) - urgency(a));
  const words = flow(
    telling.map((gauge) => gaugeWords(gauge, paint)),
    width,
    ' · ',
  ).slice(0, Math.max(2, spare - 1));
  const room = Math.min(view.stories.length, Math.max(1, spare - words.length));
  return [...words, ...storyLines(view, { ...canvas, height: room }, 0)];
}

const urgency = ({ tone }: Gauge): number => (tone === 'bad' ? 2 : tone === 'warn' ? 1 : 0);

/** The current activity, and on which file; for an interrupted run, the last one. */
function nowLines({ state }: Scene, view: RunView, { paint, now, width }: Canvas): readonly string[] {
  const { phase, since, waiting, tool, file, check, idleTimeoutMs } = view.now;
  if (view.ended) return [];
  const isOver = state === 'cut-off';
  if (state === 'between' && waiting === null) return [labelled('waits', paint('accent', 'for its turn'), paint)];
  if (waiting && !isOver) {
    const what = waiting.until === null ? 'until you press p' : `${timeLeft(waiting, now)} · ${WAIT_TEXT[waiting.why]}`;
    return [labelled('waits', paint('warn', what), paint), labelled('', oneLine(waiting.text), paint)].map((line) =>
      cutStyled(line, width),
    );
  }
  const silent = isOver || phase !== 'agent' || tool ? null : silence(now - view.lastEventAt, idleTimeoutMs);
  const doing = tool
    ? oneLine(`${tool.name} ${tool.what}`)
    : check
      ? `check ${oneLine(check)}`
      : (silent ?? PHASE_TEXT[phase]);
  const clock = isOver || silent !== null ? '' : ` (${stopwatch(now - (tool?.since ?? since))})`;
  // The clock stays readable: a long command is cut instead.
  const text = cutStyled(labelled(isOver ? 'last' : 'now', doing, paint), width - clock.length);
  return [text + paint('dim', clock), cutStyled(labelled('file', file === null ? '-' : oneLine(file), paint), width)];
}

const PHASE_TEXT: Readonly<Record<RunView['now']['phase'], string>> = {
  starting: 'getting ready',
  baseline: 'checks before the run',
  checkpoint: 'checkpoint',
  agent: 'the agent is thinking',
  settling: 'judging what the agent did',
  check: 'checks',
  concluding: 'concluding',
  retrying: 'waiting to try again',
  waiting: 'waiting',
  between: 'between iterations',
  ended: 'ended',
};

interface Hint {
  readonly keys: string;
  /** In two or three words. */
  readonly brief: string;
  readonly meaning: string;
  /** When it appears at the foot of the screen; absent: only in the help. */
  readonly foot?: 'always' | 'with a run' | 'with a live run' | 'with a story that waits';
}

const HINTS: readonly Hint[] = [
  { keys: 'q', brief: 'detach', meaning: 'detach: the run continues without the monitor', foot: 'always' },
  { keys: '?', brief: 'help', meaning: 'this help', foot: 'always' },
  { keys: 'tab', brief: 'pane', meaning: 'next pane; shift-tab: previous pane', foot: 'with a run' },
  {
    keys: 'p',
    brief: 'pause',
    meaning: 'pause after this iteration; again: resume, or cancel a stop',
    foot: 'with a live run',
  },
  { keys: 's', brief: 'stop', meaning: 'stop after this iteration', foot: 'with a live run' },
  { keys: 'S', brief: 'stop now', meaning: 'stop now; asks first' },
  { keys: 'n', brief: 'note', meaning: 'send a note to the next prompt', foot: 'with a live run' },
  { keys: 'a', brief: 'answer', meaning: 'answer a question that blocks a story', foot: 'with a run' },
  {
    keys: 'A',
    brief: 'approve',
    meaning: 'approve a story that waits for approval; asks first',
    foot: 'with a story that waits',
  },
  { keys: 'x', brief: 'reject', meaning: 'request changes in a story: asks what to change', foot: 'with a run' },
  { keys: '/', brief: 'search', meaning: 'search the log; esc clears the search', foot: 'with a run' },
  {
    keys: 'l',
    brief: 'agent log',
    meaning: 'what the agent did, in $PAGER; in `iterations`: of the selected one',
    foot: 'with a run',
  },
  { keys: 'L', brief: 'raw output', meaning: 'the raw output of the agent' },
  { keys: 'r', brief: 'reset breaker', meaning: 'close the circuit breaker', foot: 'with a live run' },
  { keys: 'v', brief: 'more log', meaning: 'show or hide what the agent does in the log' },
  { keys: '↑ ↓', brief: 'move', meaning: 'scroll the pane; also page up, page down, home, end' },
  { keys: '[ ]', brief: 'other run', meaning: 'older or newer run of this work tree' },
  { keys: '1-9', brief: 'work tree', meaning: 'another work tree' },
  { keys: 'o', brief: 'work trees', meaning: 'a list of all work trees to choose from' },
];

const KEYS_WIDTH = 5;

function helpLines({ paint, width, height }: Canvas, from: number): readonly string[] {
  const lines = allLines(paint, width);
  const isMore = lines.length > height - 1;
  const head = isMore
    ? `keys · ${from + 1} of ${lines.length} · ↑ ↓ scroll, any other key closes`
    : 'keys · any key closes';
  return [paint('dim', cutStyled(head, width)), ...lines.slice(from, from + Math.max(0, height - 1))];
}

function allLines(paint: Paint, width: number): readonly string[] {
  return HINTS.flatMap(({ keys, meaning }) =>
    flow(meaning.split(' '), Math.max(1, width - KEYS_WIDTH), ' ').map(
      (line, i) => (i === 0 ? paint('strong', padEnd(keys, KEYS_WIDTH)) : ' '.repeat(KEYS_WIDTH)) + line,
    ),
  );
}

/** The keys that matter now, as many as fit. Pure. */
function keyHints({ state, view, asked }: Scene, { paint, width }: Canvas): string {
  const goesOn = state === 'paused' || asked !== null;
  const holds = {
    always: true,
    'with a run': view !== null,
    'with a live run': isLive(state),
    'with a story that waits': view?.stories.some(({ blocked }) => blocked === AWAITS_APPROVAL) ?? false,
  };
  const texts = HINTS.filter(({ foot }) => foot !== undefined && holds[foot]).map(
    ({ keys, brief }) => `${paint('strong', keys)} ${paint('dim', keys === 'p' && goesOn ? 'resume' : brief)}`,
  );
  return fittingTexts(texts, width, '  ');
}
