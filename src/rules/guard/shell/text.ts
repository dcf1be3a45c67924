import type { SimpleCommand, Word } from '../api.ts';

/** Stands in a text for a part of it that is not known. */
export const UNKNOWN = '\uFFFD';

/** A value as far as it is known: unknown parts are U+FFFD, and `from` is the command that printed them, if one did. */
export interface Text {
  readonly text: string;
  readonly from: SimpleCommand | null;
}

/** A word that remembers which command its unknown part came from: `sh -c "$(curl …)"`. */
export interface TracedWord extends Word {
  readonly from: SimpleCommand | null;
}

/** Longer values are not followed: `x=$x$x` doubles with every turn. */
const LONGEST_VALUE = 64_000;

export const EMPTY: Text = { text: '', from: null };

export const UNKNOWN_TEXT: Text = { text: UNKNOWN, from: null };

export function constant(text: string): Text {
  return text.length > LONGEST_VALUE ? UNKNOWN_TEXT : { text, from: null };
}

export function unknownFrom(from: SimpleCommand | null): Text {
  return { text: UNKNOWN, from };
}

export function isKnown(value: { readonly text: string }): boolean {
  return !value.text.includes(UNKNOWN);
}

export function concat(parts: readonly Text[]): Text {
  const from = parts.find((part) => part.from !== null)?.from ?? null;
  const length = parts.reduce((sum, part) => sum + part.text.length, 0);
  return length > LONGEST_VALUE ? unknownFrom(from) : { text: parts.map((part) => part.text).join(''), from };
}

/** A word of this text; `glob` says whether `*`, `?` and `[…]` in it are patterns. */
export function wordOf(text: string, glob = false, from: SimpleCommand | null = null): TracedWord {
  return { text, known: !text.includes(UNKNOWN), glob: glob && /[*?[]/.test(text), from };
}

/** The command that an unknown part of a word came from. */
export function originOf(word: Word): SimpleCommand | null {
  return 'from' in word ? (word as TracedWord).from : null;
}

/** The words as one text, as `eval` and `ssh` join theirs. */
export function joined(words: readonly Word[], separator = ' '): Text {
  const parts = words.map((word, at) => ({ text: (at === 0 ? '' : separator) + word.text, from: originOf(word) }));
  return concat(parts);
}
