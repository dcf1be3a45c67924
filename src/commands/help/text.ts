import type { Paint } from '../../surfaces/terminal/paint.ts';
import { displayWidth, padEnd } from '../../surfaces/terminal/width.ts';
import type { Manual, Section, Term } from './manual.ts';

export interface TextView {
  /** Of the terminal; lines are at most so wide where their words allow it. */
  readonly columns: number;
  readonly paint: Paint;
}

/** Longer lines are hard to read, however wide the terminal is. */
const MOST_COLUMNS = 100;
/** A term that is wider has its meaning on the next line. */
const MOST_TERM = 26;
const INDENT = 2;
const STACKED_INDENT = 6;

/** A page of the manual as lines for a terminal. Pure. */
export function manualText(manual: Manual, { columns, paint }: TextView): readonly string[] {
  const width = Math.max(40, Math.min(columns, MOST_COLUMNS));
  const heading = (text: string) => paint('strong', text.toUpperCase());
  const sections: readonly Section[] = [
    { heading: 'Name', paragraphs: [`${manual.name} - ${manual.summary}`] },
    ...manual.sections,
  ];
  const [name, ...rest] = sections.map((section) => [heading(section.heading), ...sectionLines(section, width, paint)]);
  const synopsis = [heading('Synopsis'), ...manual.synopsis.map((line) => `${' '.repeat(INDENT)}${line}`)];
  return [name ?? [], synopsis, ...rest].flatMap((lines, at) => (at === 0 ? lines : ['', ...lines]));
}

function sectionLines({ paragraphs = [], terms = [], stacked }: Section, width: number, paint: Paint) {
  return [
    ...paragraphs.flatMap((text, at) => [...(at === 0 ? [] : ['']), ...wrap(text, width, INDENT)]),
    ...(stacked ? terms.flatMap((term) => stackedLines(term, width, paint)) : columnLines(terms, width, paint)),
  ];
}

function stackedLines([term, meaning]: Term, width: number, paint: Paint): readonly string[] {
  const [first = '', ...more] = commandLines(term, width - INDENT);
  const typed = [first, ...more.map((line) => `${' '.repeat(STACKED_INDENT - INDENT)}${line}`)];
  return [
    ...typed.map((line) => `${' '.repeat(INDENT)}${paint('accent', line)}`),
    ...wrap(meaning, width, STACKED_INDENT),
  ];
}

/** A command in lines that can be typed as they stand: broken between its words, never within quotes. */
function commandLines(command: string, width: number): readonly string[] {
  const words = command.match(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g) ?? [command];
  const lines: string[] = [];
  const room = width - (STACKED_INDENT - INDENT) - CONTINUED.length;
  for (const word of words) {
    const last = lines.at(-1);
    if (last !== undefined && displayWidth(`${last} ${word}`) <= room) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return displayWidth(command) <= width
    ? [command]
    : lines.map((line, at) => (at < lines.length - 1 ? line + CONTINUED : line));
}

const CONTINUED = ' \\';

/** Terms in a column of their own, as wide as the widest of them that is not too wide. */
function columnLines(terms: readonly Term[], width: number, paint: Paint): readonly string[] {
  const fitting = terms.map(([term]) => displayWidth(term)).filter((one) => one <= MOST_TERM);
  const beside = INDENT + Math.max(0, ...fitting) + 2;
  return terms.flatMap(([term, meaning]) => {
    const [first = '', ...more] = wrap(meaning, width, beside);
    const fits = INDENT + displayWidth(term) + 2 <= beside;
    const shown = paint('accent', term);
    if (!fits) return [`${' '.repeat(INDENT)}${shown}`, first, ...more];
    const gap = padEnd('', beside - INDENT - displayWidth(term));
    return [`${' '.repeat(INDENT)}${shown}${gap}${first.trimStart()}`, ...more];
  });
}

/** A text in lines of at most `width` columns, `indent` of them blank; a longer word has a line of its own. */
function wrap(text: string, width: number, indent: number): readonly string[] {
  const margin = ' '.repeat(indent);
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && displayWidth(`${last} ${word}`) <= width) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(`${margin}${word}`);
  }
  return lines;
}
