import { children, skipSpace, skipValue } from './json-scan.ts';

/** How a container in a JSON text is laid out, so that what is added looks like what is there. */
export interface Layout {
  /** White space before the first child, after the opening bracket. */
  readonly first: string;
  /** White space before every other child, after the comma. */
  readonly next: string;
  /** White space before the closing bracket. */
  readonly last: string;
  /** What stands between a key and its value, e.g. `: `. */
  readonly colon: string;
}

/** Conventions of a whole file, for where there is nothing nearby to imitate. */
export interface FileLayout {
  /** One level of indentation; empty in a file without line breaks. */
  readonly unit: string;
  readonly lineEnd: string;
  /** Space after commas and colons in a file without line breaks. */
  readonly gap: string;
  /** Whether everything outside ASCII is written as `\u` escapes. */
  readonly ascii: boolean;
}

/** Reads a file's conventions off its outermost container. */
export function fileLayout(text: string): FileLayout {
  const root = skipSpace(text, 0);
  const lead = text.slice(root + 1, skipSpace(text, root + 1));
  const unit = lead.includes('\n') ? lead.slice(lead.lastIndexOf('\n') + 1) : '';
  const lineEnd = lead.includes('\r\n') ? '\r\n' : lead.includes('\n') ? '\n' : '';
  const gap = lineEnd !== '' || /":\s/.test(text.slice(root, root + 200)) ? ' ' : '';
  const ascii = /\\u[0-9a-fA-F]{4}/.test(text) && !/[\u0080-\ufefe\uff00-\uffff]/.test(text);
  return { unit, lineEnd, gap, ascii };
}

/** The layout of the container that `text` is; null when it has no children to read it off. */
export function layoutOf(text: string): Layout | null {
  const all = children(text, 0);
  const [one, two] = all;
  const end = all.at(-1)?.end;
  if (!one || end === undefined) return null;
  const first = text.slice(1, one.from);
  const next = two ? text.slice(skipSpace(text, one.end) + 1, two.from) : first.includes('\n') ? first : ' ';
  const colon = one.key === null ? ': ' : text.slice(skipValue(text, one.from), one.start);
  return { first, next, last: text.slice(end, -1), colon };
}

/** The layout of a container whose opening bracket stands on a line indented by `indent`. */
export function freshLayout(file: FileLayout, indent: string): Layout {
  if (file.lineEnd === '') return { first: '', next: file.gap, last: '', colon: `:${file.gap}` };
  const lead = `${file.lineEnd}${indent}${file.unit}`;
  return { first: lead, next: lead, last: file.lineEnd + indent, colon: ': ' };
}

/** A layout on one line, as short lists often have inside objects of several lines. */
export const ONE_LINE: Layout = { first: '', next: ' ', last: '', colon: ': ' };

/** The white space with which the line of a child starts: what follows the last line break of its lead. */
export function indentOf(lead: string): string {
  return lead.slice(lead.lastIndexOf('\n') + 1);
}

/** A string, number, boolean or null as JSON. */
export function renderScalar(value: unknown, file: FileLayout): string {
  const json = JSON.stringify(value);
  if (!file.ascii) return json;
  return json.replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Rendered children between the brackets of their container. */
export function renderContainer(brackets: '[]' | '{}', parts: readonly string[], layout: Layout): string {
  if (parts.length === 0) return brackets;
  return brackets[0] + layout.first + parts.join(`,${layout.next}`) + layout.last + brackets[1];
}
