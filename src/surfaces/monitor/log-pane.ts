import { hang } from '../terminal/hang.ts';
import type { Paint } from '../terminal/paint.ts';
import { padEnd } from '../terminal/width.ts';
import type { Canvas, LogLine, LogView } from './scene.ts';
import { cutStyled, textOf } from './styled.ts';
import type { Ui } from './ui.ts';

/** Lines of the log that are looked at, before they are broken to the width. */
function linesOf({ brief, full }: LogView, { verbose, search }: Ui): readonly LogLine[] {
  const lines = verbose ? full : brief;
  if (search === '') return lines;
  const wanted = search.toLowerCase();
  return lines.filter(({ text }) => textOf(text).toLowerCase().includes(wanted));
}

/** How far the log can be moved up. Pure. */
export function logReach(log: LogView, ui: Ui, { height }: Pick<Canvas, 'height'>): number {
  return Math.max(0, linesOf(log, ui).length - height);
}

/** The end of the log, a line of it in a line of the screen; only what is seen is worked on. Pure. */
export function logTail(log: LogView, ui: Ui, { height, width }: Canvas): readonly string[] {
  const lines = linesOf(log, { ...ui, search: '' });
  const end = ui.pane === 'overview' ? lines.length - ui.scroll : lines.length;
  const from = Math.max(0, end - height);
  return lines.slice(from, Math.max(end, from)).map(({ text }) => cutStyled(text, width));
}

/** The log in full: long lines go on below, the newest line is the last. Pure. */
export function logPane(log: LogView, ui: Ui, canvas: Canvas): readonly string[] {
  const { paint, width, height } = canvas;
  const lines = linesOf(log, ui);
  const end = Math.max(0, lines.length - ui.scroll);
  const room = height - 1;
  const shown: string[] = [];
  for (let at = end - 1; at >= 0 && shown.length < room; at -= 1) {
    shown.unshift(...hang(wholeLine(lines[at], ui, paint), width).map((line) => cutStyled(line, width)));
  }
  return [cutStyled(paint('dim', headOf(lines.length, end, log, ui)), width), ...shown.slice(-room)];
}

/** Lines that were found stand alone: each says where it belongs. */
function wholeLine(line: LogLine | undefined, { search }: Ui, paint: Paint): string {
  if (line === undefined) return '';
  if (search === '') return line.text;
  const where = line.iteration === 0 ? '' : `#${line.iteration}`;
  return `${paint('dim', padEnd(where, WHERE))}${line.text}`;
}

/** Columns of `#12 `. */
const WHERE = 5;

function headOf(count: number, end: number, { hasOlder }: LogView, { search, verbose, scroll }: Ui): string {
  const place = scroll === 0 ? 'the newest' : `up to line ${end} of ${count}${hasOlder ? ' loaded' : ''}`;
  const found = search === '' ? place : `${count}${hasOlder ? ' of those loaded' : ''} with "${search}", esc shows all`;
  return `${found} · v ${verbose ? 'hides' : 'shows'} what the agent does · / search`;
}
