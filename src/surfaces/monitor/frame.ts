import type { RunView } from '../../rules/view/model.ts';
import type { Paint } from '../terminal/paint.ts';
import { oneLine } from '../terminal/sanitise.ts';
import { choiceLines } from './choose-stream.ts';
import { dialogLine } from './dialog.ts';
import { banner, header, streamTabs } from './header.ts';
import { helpLines, helpReach, keyHints } from './help.ts';
import { iterationsPane } from './iterations-pane.ts';
import { judgedCount, judgedPane } from './judged-pane.ts';
import { logPane, logReach } from './log-pane.ts';
import { overview } from './overview.ts';
import type { Reach } from './press.ts';
import type { Canvas, Scene, Size } from './scene.ts';
import { storiesPane } from './stories-pane.ts';
import { asManyAsFit, cutStyled, flow } from './styled.ts';
import { PANES, type Pane, type Ui } from './ui.ts';

export interface Frame {
  /** One line less than the terminal has, each at least one column narrower: a full screen would scroll away. */
  readonly lines: readonly string[];
  readonly reach: Reach;
}

/** Below this only the first line of the header is there, and the overview is not named. */
const LOW = 16;
/** Lines that a message may take. */
const MOST_TOLD = 4;
/** From here on an empty line parts the header from what is below. */
const HIGH = 34;

/** The whole screen. Pure. */
export function frame(scene: Scene, ui: Ui, size: Size, now: number, paint: Paint): Frame {
  const rows = Math.max(1, size.rows - 1);
  // A column stays free on both sides: what a terminal does behind its last column is anybody's guess.
  const width = Math.max(10, size.columns - 2);
  const canvas: Canvas = { paint, width, height: rows, now };
  const [first = '', second = ''] = header(scene, canvas);
  const isLow = rows < LOW;
  const told = banner(scene, canvas);
  const top = [
    first,
    // That this is not the newest run has to be said however low the screen is.
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
  // What is asked and told stands below everything, however low the screen is.
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

/** How far the pane on show can be moved. */
function reachOf({ view, log }: Scene, ui: Ui, canvas: Canvas): number {
  const { height } = canvas;
  if (ui.help) return helpReach(canvas);
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

/** The chosen pane in brackets, so that it shows without colours. */
function paneTabs(pane: Pane, { paint, width }: Canvas): string {
  const tabs = PANES.map((one) => (one === pane ? paint('strong', `[${one}]`) : paint('dim', ` ${one} `)));
  const line = asManyAsFit(tabs, width, ' ');
  return line === tabs.join(' ') ? line : paint('strong', `[${pane}] ${PANES.indexOf(pane) + 1} of ${PANES.length}`);
}

function nothingYet({ trouble, run }: Scene, { paint, width }: Canvas): readonly string[] {
  if (trouble !== null) return ['', paint('bad', oneLine(trouble))];
  if (run !== null) return ['', paint('dim', 'reading the log …')];
  return [
    '',
    ...flow(['No run here yet:', 'it shows as soon as one starts.'], width, ' '),
    ...flow([paint('dim', '`ralph run` in another'), paint('dim', 'terminal starts one.')], width, ' '),
  ];
}

/** What is asked, else what came of the last key, else the keys. */
function foot(scene: Scene, ui: Ui, canvas: Canvas): readonly string[] {
  if (ui.dialog !== null) return [dialogLine(ui.dialog, canvas)];
  if (ui.message === null) return [keyHints(scene, canvas)];
  const { text, bad } = ui.message;
  // A message may name the command that helps: it goes on below rather than lose its end.
  const words = `${bad ? '✗' : '✓'} ${oneLine(text)}`.split(' ');
  return flow(words, canvas.width, ' ')
    .slice(0, MOST_TOLD)
    .map((line) => canvas.paint(bad ? 'bad' : 'good', line));
}
