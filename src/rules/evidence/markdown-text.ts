import { printable, shortLine } from '../printable.ts';

/** Characters that mean something within a line of Markdown, in its tables, or in its mathematics. */
const SPECIAL = /[\\`*_[\]<>|~$&]/g;

/** What opens a heading, a list or a rule at the start of a line. */
const OPENING = /^(\d*)(?=[#+=.)-])/;

/** Breaks a word without being seen: what stands on both sides of it is no name and no address any more. */
const INVISIBLE = '\u200b';

/**
 * What a hosting service turns into links wherever it stands: `@somebody` (who is told), `#12` and `GH-12` (which
 * "fixes" closes), addresses.
 */
const LINKS = /@(?=[\w-])|#(?=\d)|\bGH(?=-\d)|:(?=\/\/)|\bwww(?=\.)/gi;

/**
 * Somebody's words as one line of plain text in Markdown: no markup, no links, nobody mentioned, nothing closed.
 * @param length most characters, before escaping
 */
export function plain(text: string, length = 200): string {
  return quiet(shortLine(text, length)).replace(SPECIAL, '\\$&');
}

/** The same for places that hold no Markdown, such as a title. */
export function quiet(text: string): string {
  return text.replace(LINKS, `$&${INVISIBLE}`);
}

/** Somebody's words as a quotation, at most so many lines. */
export function quoted(text: string, lines = 40): readonly string[] {
  const all = printable(text.slice(0, 20_000)).trim().split('\n');
  const shown = all.slice(0, lines).map((line) => `> ${plain(line, 400).replace(OPENING, '$1\\')}`.trimEnd());
  // Two blanks would be a line break; an empty quoted line keeps paragraphs apart.
  return all.length > lines ? [...shown, `> … and ${all.length - lines} more lines`] : shown;
}

/** A command or a path as code within a line, also within a table. */
export function code(text: string, length = 120): string {
  const line = shortLine(text, length);
  const fence = '`'.repeat(longestRun(line) + 1);
  const pad = line.startsWith('`') || line.endsWith('`') || line === '' ? ' ' : '';
  return `${fence}${pad}${line.replaceAll('|', '\\|')}${pad}${fence}`;
}

/** Lines that are shown as they are. */
export function block(text: string): readonly string[] {
  const safe = printable(text);
  const fence = '`'.repeat(Math.max(3, longestRun(safe) + 1));
  return [`${fence}text`, ...safe.split('\n'), fence];
}

/** Rows under a heading; cells are Markdown already. */
export function table(titles: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(titles), line(titles.map(() => '---')), ...rows.map(line)];
}

function longestRun(text: string): number {
  return Math.max(0, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
}
