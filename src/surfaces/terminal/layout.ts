import type { Tone } from '../../rules/text/index.ts';
import { type Paint, plain } from './paint.ts';

let segmenter: Intl.Segmenter | undefined;

// The common case, which needs no segmenter.
const ASCII = /^[\u0020-\u007e]*$/;

/** Scripts and symbols that terminals draw two columns wide. */
const WIDE =
  /\p{Emoji_Presentation}|\ufe0f|[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6]|[\u{1f300}-\u{1f64f}\u{1f900}-\u{1f9ff}\u{20000}-\u{3fffd}]/u;

/** Characters without a column. */
const ZERO = /^[\p{M}\p{Cf}]+$/u;

/** Columns that `text` (no escape sequences) takes on a terminal. */
export function displayWidth(text: string): number {
  if (ASCII.test(text)) return text.length;
  let width = 0;
  for (const { segment } of graphemes(text)) width += graphemeWidth(segment);
  return width;
}

/** `text` in at most `columns` columns, the last one an ellipsis when something was cut. */
export function truncate(text: string, columns: number): string {
  if (columns <= 0) return '';
  // Each character takes a column or is part of one that does: text far beyond the width needs no measuring.
  const head = text.length > columns * 16 ? text.slice(0, columns * 16) : text;
  if (head === text && displayWidth(text) <= columns) return text;
  let kept = '';
  let width = 0;
  for (const { segment } of graphemes(head)) {
    width += graphemeWidth(segment);
    if (width > columns - 1) break;
    kept += segment;
  }
  return `${kept}…`;
}

/** `text` filled with spaces to at least `columns` columns. */
export function padEnd(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(0, columns - displayWidth(text)));
}

function graphemeWidth(segment: string): number {
  if (WIDE.test(segment)) return 2;
  return ZERO.test(segment) ? 0 : 1;
}

/** The segmenter is created on first use: loading its rules takes longer than a short command. */
function graphemes(text: string): Intl.Segments {
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  return segmenter.segment(text);
}

export interface Column<Row> {
  readonly title: string;
  readonly text: (row: Row) => string;
  readonly tone?: (row: Row) => Tone | null;
  readonly align?: 'right';
  /** Takes the rest of the line and is cut to it; at most one column. */
  readonly flexible?: true;
}

const GAP = '  ';
const NARROWEST = 12;

/** Rows under their titles, every column as wide as its widest text, the flexible one cut to fit `width`. */
export function renderColumns<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  width: number,
  paint: Paint = plain,
): readonly string[] {
  const natural = columns.map((column) =>
    Math.max(displayWidth(column.title), ...rows.map((row) => displayWidth(column.text(row)))),
  );
  const used = natural.reduce((sum, one) => sum + one, GAP.length * (columns.length - 1));
  const widths = columns.map((column, i) => {
    const own = natural[i] ?? 0;
    return column.flexible ? Math.max(Math.min(own, NARROWEST), Math.min(own, own - (used - width))) : own;
  });
  const line = (cells: readonly string[], tones: readonly (Tone | null)[]) =>
    cells
      .map((cell, i) => {
        const text = fit(cell, widths[i] ?? 0, columns[i]?.align, i === cells.length - 1);
        const tone = tones[i];
        return tone ? paint(tone, text) : text;
      })
      .join(GAP)
      .trimEnd();
  const title = line(
    columns.map((column) => column.title),
    columns.map(() => 'dim'),
  );
  return [
    title,
    ...rows.map((row) =>
      line(
        columns.map((column) => column.text(row)),
        columns.map((column) => column.tone?.(row) ?? null),
      ),
    ),
  ];
}

function fit(text: string, width: number, align: 'right' | undefined, last: boolean): string {
  const cut = truncate(text, width);
  if (align === 'right') return ' '.repeat(Math.max(0, width - displayWidth(cut))) + cut;
  // No trailing blanks: they would hide inside the colour of the last column.
  return last ? cut : padEnd(cut, width);
}

/** Colours and the like: they take no column. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences begin with one
const STYLE = /\u001b\[[\d;]*m/g;

/** A label or a command, with the gap before the text beside it. */
const LABEL = /^ *\S+(?: \S+)* {2,}(?=\S)/;
const LONGEST_LABEL = 32;

/**
 * A line in as many as the terminal needs, broken between words and aligned with the text beside its label; terminals
 * break in the middle of words. A word wider than that stays whole. Pure.
 */
export function hang(line: string, columns: number): readonly string[] {
  if (widthOf(line) <= columns) return [line];
  const margin = line.length - line.trimStart().length;
  const label = LABEL.exec(unpainted(line).slice(0, LONGEST_LABEL + 1))?.[0].length ?? 0;
  const indent = ' '.repeat(Math.max(margin, label));
  if (indent.length > columns / 2) return [line];
  const lines: string[] = [];
  let current = line.slice(0, margin);
  for (const word of line.slice(margin).split(/(?<= )/)) {
    // Breaking right after a label gains nothing.
    if (widthOf(current.trimEnd()) > indent.length && widthOf(current + word.trimEnd()) > columns) {
      lines.push(current.trimEnd());
      current = indent;
    }
    current += word;
  }
  return [...lines, current];
}

/** Columns that a painted line takes. */
export function widthOf(line: string): number {
  return displayWidth(unpainted(line));
}

export function unpainted(line: string): string {
  return line.replace(STYLE, '');
}
