/** What the program's colours mean; see `src/surfaces/terminal/paint.ts`. */
export type Ink = 'plain' | 'red' | 'green' | 'yellow' | 'cyan';

/** A stretch of text in one style. */
export interface Span {
  readonly text: string;
  readonly ink: Ink;
  readonly bold: boolean;
  readonly dim: boolean;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences begin with one
const STYLE = /\u001b\[([0-9;]*)m/;
const INKS: Readonly<Record<string, Ink>> = { 31: 'red', 32: 'green', 33: 'yellow', 36: 'cyan', 39: 'plain' };

/**
 * One line of terminal output as styled spans.
 *
 * @throws for a style that the picture could not show truthfully
 */
export function parseLine(line: string): readonly Span[] {
  const spans: Span[] = [];
  let style: Omit<Span, 'text'> = { ink: 'plain', bold: false, dim: false };
  // The captured codes stand between the texts.
  for (const [at, part] of line.split(STYLE).entries()) {
    if (at % 2 === 1) for (const code of part.split(';')) style = restyle(style, code);
    else if (part !== '') spans.push({ text: part, ...style });
  }
  return spans;
}

function restyle(style: Omit<Span, 'text'>, code: string): Omit<Span, 'text'> {
  if (code === '' || code === '0') return { ink: 'plain', bold: false, dim: false };
  if (code === '1') return { ...style, bold: true };
  if (code === '2') return { ...style, dim: true };
  if (code === '22') return { ...style, bold: false, dim: false };
  const ink = INKS[code];
  if (ink === undefined) throw new Error(`no picture of the terminal style ${code}`);
  return { ...style, ink };
}

/** The text of a line without its styles. */
export function textOf(line: string): string {
  return parseLine(line)
    .map((span) => span.text)
    .join('');
}
