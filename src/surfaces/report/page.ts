import type { Drawing, Hue } from './charts.ts';

/** A text with its style. */
export type Words =
  | string
  | number
  | { readonly code: string }
  /** `link`: a path, relative to the report. */
  | { readonly text: string; readonly look: Hue | 'dim'; readonly link?: string };

/** Several texts are stacked, where the format can do that. */
export type Cell = Words | readonly Words[];

interface Head {
  readonly title: string;
  /** `n`: a number, right-aligned. `k`: short and unbroken. `text`: breaks anywhere. `bar`: a chart. */
  readonly kind?: 'n' | 'k' | 'text' | 'bar';
  /** Left out on a phone. */
  readonly wide?: true;
}

export interface Column<Row> extends Head {
  readonly cell: (row: Row) => Cell | Drawing;
}

interface TableOptions {
  /** What its rows are, for the sentence on omitted ones. */
  readonly what?: string;
  /** The most rows in HTML, and in Markdown. */
  readonly most?: readonly [html: number, markdown: number];
  /** Which rows stay of too many; default: the first. */
  readonly keep?: 'last';
  /** On a phone the cells of a row flow, texts on separate lines; for rows that read as a sentence. */
  readonly stack?: true;
}

export interface Table extends TableOptions {
  readonly head: readonly Head[];
  readonly rows: readonly (readonly (Cell | Drawing)[])[];
}

/** A sentence, a less important one, a table, a list, or a chart; null for none. */
export type Part = string | { readonly remark: string } | Table | { readonly items: readonly Cell[] } | Drawing | null;

/** A part of the report under a heading; omitted when all its parts are empty. */
export interface Section {
  readonly title: string;
  readonly parts: readonly Part[];
  /** A person has to act: it is highlighted. */
  readonly urgent?: true;
}

/** A report in any format. */
export interface Page {
  /** What writes it, and its flag for all of the data. */
  readonly command: string;
  readonly whole: string;
  readonly project: string;
  /** What it is about, in a word or two. */
  readonly about: string;
  readonly tone: Hue;
  /** Two or three words. */
  readonly label: string;
  readonly sentence: string;
  /** Under what circumstances. */
  readonly facts: readonly string[];
  /** The key figures, each with an explanatory one. */
  readonly figures: readonly (readonly [title: string, value: string, more: string])[];
  readonly sections: readonly Section[];
  readonly generatedAt: number;
  /** The version that writes it. */
  readonly ralph: string;
}

export function table<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  options: TableOptions = {},
): Table | null {
  if (rows.length === 0) return null;
  return { ...options, head: columns, rows: rows.map((row) => columns.map(({ cell }) => cell(row))) };
}

export function rowsShown({ rows, most, keep }: Table, format: 0 | 1): Table['rows'] {
  const room = most?.[format] ?? 50;
  return keep === 'last' ? rows.slice(-room) : rows.slice(0, room);
}

/** What was omitted from a table, for the line below it; null when nothing was. */
export function leftOut({ rows, what = 'rows' }: Table, shown: number, whole: string): string | null {
  const left = rows.length - shown;
  return left === 0 ? null : `${left} more ${what} are left out here; \`${whole}\` has all of them.`;
}

export function remark(text: string | false): Part {
  return text === false ? null : { remark: text };
}

/** The address of a path relative to the report: no name in it can be anything else. */
export function addressOf(link: string): string {
  return link.split('/').map(encodeURIComponent).join('/');
}
