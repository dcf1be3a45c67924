import { type Paint, plain, type Tone } from './paint.ts';
import { displayWidth, padEnd, padStart, truncate } from './width.ts';

export interface Column<Row> {
  readonly title: string;
  readonly text: (row: Row) => string;
  readonly tone?: (row: Row) => Tone | null;
  readonly align?: 'right';
  /** Takes what is left of the line and is cut to it; at most one column. */
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
  if (align === 'right') return padStart(cut, width);
  // No trailing blanks: they would hide inside the colour of the last column.
  return last ? cut : padEnd(cut, width);
}
