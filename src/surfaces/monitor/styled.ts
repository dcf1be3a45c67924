import type { Paint, Tone } from '../terminal/paint.ts';
import { displayWidth, padEnd, truncate } from '../terminal/width.ts';

// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences begin with one
const STYLE = /(\u001b\[[\d;]*m)/;

/** The text of a line without its styles. */
export function textOf(line: string): string {
  return line.split(STYLE).filter(isText).join('');
}

/** Columns that a line with styles takes. */
export function styledWidth(line: string): number {
  return displayWidth(textOf(line));
}

/** A line with styles in at most `columns` columns, the last one an ellipsis when something was cut. */
export function cutStyled(line: string, columns: number): string {
  if (styledWidth(line) <= columns) return line;
  let left = columns;
  // Styles behind the cut stay: among them are those that end the ones before it.
  return line
    .split(STYLE)
    .map((part, i) => {
      if (!isText(part, i)) return part;
      const isLonger = displayWidth(part) > left;
      const text = isLonger ? truncate(part, left) : part;
      left = isLonger ? 0 : left - displayWidth(part);
      return text;
    })
    .join('');
}

/** A line with styles in exactly `columns` columns. */
export function fitStyled(line: string, columns: number): string {
  const cut = cutStyled(line, columns);
  return cut + ' '.repeat(Math.max(0, columns - styledWidth(cut)));
}

/** One text at the left end of a line, the other at its right end; the left one gives way. */
export function apart(left: string, right: string, columns: number): string {
  const room = columns - styledWidth(right) - (right === '' ? 0 : 2);
  if (room < 8) return cutStyled(left, columns);
  return right === '' ? cutStyled(left, columns) : `${fitStyled(left, room)}  ${right}`;
}

/** Two blocks of lines beside each other. */
export function beside(
  left: readonly string[],
  right: readonly string[],
  { leftWidth, gap, width }: { readonly leftWidth: number; readonly gap: number; readonly width: number },
): readonly string[] {
  return Array.from({ length: Math.max(left.length, right.length) }, (_, i) => {
    const beginning = fitStyled(left[i] ?? '', leftWidth) + ' '.repeat(gap);
    return cutStyled(beginning + (right[i] ?? ''), width);
  });
}

/** A horizontal bar of `columns` characters, readable without colours. `share` beyond 0 to 1 is cut to that. */
export function bar(share: number, columns: number, paint: Paint, tone: Tone): string {
  const full = Math.round(Math.min(1, Math.max(0, share || 0)) * columns);
  return paint(tone, '█'.repeat(full)) + paint('dim', '░'.repeat(columns - full));
}

/** A line that parts what is above from what is below, with a title in it. */
export function rule(title: string, columns: number, paint: Paint): string {
  const head = `── ${title} `;
  return paint('dim', truncate(head + '─'.repeat(Math.max(0, columns - displayWidth(head))), columns));
}

/** As many of the texts as fit into a line, whole ones only. */
export function asManyAsFit(texts: readonly string[], columns: number, gap: string): string {
  let line = '';
  for (const text of texts) {
    const next = line === '' ? text : line + gap + text;
    if (styledWidth(next) > columns) break;
    line = next;
  }
  return line;
}

/** Texts that follow each other, in as many lines as they need. */
export function flow(texts: readonly string[], columns: number, gap: string): readonly string[] {
  const lines: string[] = [];
  for (const text of texts) {
    const last = lines.at(-1);
    if (last !== undefined && styledWidth(last + gap + text) <= columns) lines[lines.length - 1] = last + gap + text;
    else lines.push(cutStyled(text, columns));
  }
  return lines;
}

/** A dim label before a text. */
export function labelled(label: string, text: string, paint: Paint): string {
  return `${paint('dim', padEnd(label, LABEL))}${text}`;
}

/** Columns of the labels in front of gauges. */
export const LABEL = 11;

function isText(_part: string, at: number): boolean {
  return at % 2 === 0;
}
