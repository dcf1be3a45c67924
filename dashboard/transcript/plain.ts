import { said, saidLines } from '../text.ts';

/** Characters shown until the whole text is requested. */
const SHORT_CHARACTERS = 2400;

interface Shortened {
  readonly text: string;
  /** Whether something was left out. */
  readonly cut: boolean;
}

/** Text without escape sequences, controls, and characters that reorder the text around them. Line breaks stay. */
export function plainText(text: string): string {
  return saidLines(text).replace(/^\n+|\s+$/g, '');
}

/** The beginning of a text. The omitted part is not even scanned: a single line may be megabytes. */
export function shortened(text: string, lines: number): Shortened {
  const whole = text.length <= SHORT_CHARACTERS;
  const plain = plainText(whole ? text : text.slice(0, SHORT_CHARACTERS));
  const end = nthLineEnd(plain, lines);
  return { text: plain.slice(0, end), cut: !whole || end < plain.length };
}

/** Text without endless lines: a browser takes minutes to lay out one of a megabyte. */
export function breakable(text: string): string {
  return text.replace(/[^\n]{2000}/g, '$&\n');
}

/** One line of limited length. */
export function shortWords(text: string, length = 400): string {
  const line = said(text.slice(0, 4 * length));
  return line.length <= length && text.length <= 4 * length ? line : `${line.slice(0, length - 1)}…`;
}

function nthLineEnd(text: string, lines: number): number {
  if (lines === 0) return 0;
  let end = -1;
  for (let i = 0; i < lines; i++) {
    end = text.indexOf('\n', end + 1);
    if (end === -1) return text.length;
  }
  return end;
}

/** Maximum number of marks: each is an element. */
const MOST_MARKED = 200;

/** The text split at the searched words, case-insensitive: every second part is a hit. */
export function split(text: string, find: string): readonly string[] {
  const lower = text.toLowerCase();
  const wanted = find.toLowerCase();
  // Some letters change their length with their case, so positions would not match.
  if (lower.length !== text.length || wanted === '') return [text];
  const parts: string[] = [];
  let done = 0;
  while (parts.length < 2 * MOST_MARKED) {
    const at = lower.indexOf(wanted, done);
    if (at === -1) break;
    parts.push(text.slice(done, at), text.slice(at, at + wanted.length));
    done = at + wanted.length;
  }
  return [...parts, text.slice(done)];
}
