import type { Tone } from '../../rules/text/index.ts';
import { displayWidth, type Paint, padEnd, truncate, widthOf } from '../terminal/index.ts';

// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences begin with one
const STYLE = /(\u001b\[[\d;]*m)/;

/** A styled line in at most `columns` columns, the last one an ellipsis when something was cut. */
export function cutStyled(line: string, columns: number): string {
  if (widthOf(line) <= columns) return line;
  let left = columns;
  // Styles after the cut stay: among them are those that end earlier ones.
  return line
    .split(STYLE)
    .map((part, i) => {
      if (i % 2 === 1) return part;
      const isLonger = displayWidth(part) > left;
      const text = isLonger ? truncate(part, left) : part;
      left = isLonger ? 0 : left - displayWidth(part);
      return text;
    })
    .join('');
}

/** A styled line in exactly `columns` columns. */
export function fitStyled(line: string, columns: number): string {
  const cut = cutStyled(line, columns);
  return cut + ' '.repeat(Math.max(0, columns - widthOf(cut)));
}

/** One text at the left end of a line, the other at its right end; the left one is cut if needed. */
export function apart(left: string, right: string, columns: number): string {
  const room = columns - widthOf(right) - (right === '' ? 0 : 2);
  if (room < 8) return cutStyled(left, columns);
  return right === '' ? cutStyled(left, columns) : `${fitStyled(left, room)}  ${right}`;
}

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

/** A horizontal bar of `columns` characters, readable without colours. `share` is clamped to 0 to 1. */
export function bar(share: number, columns: number, paint: Paint, tone: Tone): string {
  const full = Math.round(Math.min(1, Math.max(0, share || 0)) * columns);
  return paint(tone, '█'.repeat(full)) + paint('dim', '░'.repeat(columns - full));
}

/** A separator line with a title in it. */
export function rule(title: string, columns: number, paint: Paint): string {
  const head = `── ${title} `;
  return paint('dim', truncate(head + '─'.repeat(Math.max(0, columns - displayWidth(head))), columns));
}

/** As many of the texts as fit into a line, whole ones only. */
export function fittingTexts(texts: readonly string[], columns: number, gap: string): string {
  let line = '';
  for (const text of texts) {
    const next = line === '' ? text : line + gap + text;
    if (widthOf(next) > columns) break;
    line = next;
  }
  return line;
}

/** Consecutive texts, in as many lines as they need. */
export function flow(texts: readonly string[], columns: number, gap: string): readonly string[] {
  const lines: string[] = [];
  for (const text of texts) {
    const last = lines.at(-1);
    if (last !== undefined && widthOf(last + gap + text) <= columns) lines[lines.length - 1] = last + gap + text;
    else lines.push(cutStyled(text, columns));
  }
  return lines;
}

export function labelled(label: string, text: string, paint: Paint): string {
  return `${paint('dim', padEnd(label, LABEL))}${text}`;
}

/** Columns of the labels in front of gauges. */
export const LABEL = 11;
