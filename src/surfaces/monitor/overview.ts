import type { RunView } from '../../rules/view/model.ts';
import { elapsed, stopwatch } from '../terminal/format.ts';
import { oneLine } from '../terminal/sanitise.ts';
import { timeLeft } from '../terminal/waiting.ts';
import { WAIT_TEXT } from '../terminal/words.ts';
import { type Gauge, gaugeLine, gaugesOf, gaugeWords } from './gauges.ts';
import { logTail } from './log-pane.ts';
import type { Canvas, Scene } from './scene.ts';
import { storyLines } from './stories-pane.ts';
import { beside, cutStyled, flow, labelled, rule } from './styled.ts';
import type { Ui } from './ui.ts';

/** From this height on there is room for empty lines between the parts. */
const AIRY = 30;
/** Below this gauges and stories do not fit beside each other. */
const WIDE = 72;
const GAP = 3;
/** Lines of the log that the overview wants to show. */
const LOG_LINES = 20;
/** On a low screen the gauges come first. */
const fewestLogLines = (height: number) => (height < 12 ? 2 : 4);

/** Everything at one look: what happens now, gauges, stories, the end of the log. Pure. */
export function overview(scene: Scene, view: RunView, ui: Ui, canvas: Canvas): readonly string[] {
  const { height, paint, width } = canvas;
  const now = [...nowLines(scene, view, canvas).slice(0, height < 10 ? 1 : 2)];
  if (now.length > 0 && height >= AIRY) now.push('');
  const gauges = gaugesOf(view, canvas.now, scene.state === 'cut-off' ? view.lastEventAt : canvas.now);
  const middle = width >= WIDE ? wide(view, gauges, now.length, canvas) : narrow(view, gauges, now.length, canvas);
  const room = height - now.length - middle.length - 1;
  const log = room < 1 ? [] : [rule('log', width, paint), ...logTail(scene.log, ui, { ...canvas, height: room })];
  return [...now, ...middle, ...log].slice(0, height);
}

/** Gauges beside stories, as tall as leaves the log its lines. */
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

/** Gauges as words, what needs a look first; below them the stories around the one at work. */
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

/** What happens at this moment, and on which file; of a run that was cut off, what happened last. */
function nowLines({ state, idleTimeoutMs }: Scene, view: RunView, { paint, now, width }: Canvas): readonly string[] {
  const { phase, since, waiting, tool, file, check } = view.now;
  if (view.ended) return [];
  const isOver = state === 'cut-off';
  if (state === 'between' && waiting === null) return [labelled('waits', paint('accent', 'for its turn'), paint)];
  if (waiting && !isOver) {
    const what =
      waiting.until === null ? 'until p lets it go on' : `${timeLeft(waiting, now)} · ${WAIT_TEXT[waiting.why]}`;
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
  // The clock stays readable: a long command is what gives way.
  const text = cutStyled(labelled(isOver ? 'last' : 'now', doing, paint), width - clock.length);
  return [text + paint('dim', clock), cutStyled(labelled('file', file === null ? '-' : oneLine(file), paint), width)];
}

/** After so long without a sign of life an agent is not said to think. */
const SILENT_MS = 180_000;

/** How long nothing was heard of the agent, and when it is stopped for that; null while that is no news. */
function silence(ms: number, idleTimeoutMs: number | null): string | null {
  if (ms < SILENT_MS) return null;
  const end = idleTimeoutMs === null ? '' : `, stopped at ${elapsed(idleTimeoutMs)}`;
  return `no sign of life for ${Math.floor(ms / 60_000)}m${end}`;
}

const PHASE_TEXT: Readonly<Record<RunView['now']['phase'], string>> = {
  starting: 'getting ready',
  baseline: 'the checks as they are before the run',
  checkpoint: 'checkpoint',
  agent: 'the agent thinks',
  settling: 'settling: what the agent did is judged',
  check: 'checks',
  concluding: 'concluding',
  retrying: 'waiting to try again',
  waiting: 'waiting',
  between: 'between iterations',
  ended: 'ended',
};
