import type { SimpleCommand, Word } from './api.ts';
import { couldMatch } from './glob.ts';
import { namesIn } from './tables.ts';

/** Replaces an unknown part of a text. */
export const UNKNOWN = '\uFFFD';

/** A value with its known parts: unknown parts are U+FFFD, and `from` is the command that printed them, if any. */
export interface Text {
  readonly text: string;
  readonly from: SimpleCommand | null;
}

/** A word that records the command its unknown part came from: `sh -c "$(curl …)"`. */
export interface TracedWord extends Word {
  readonly from: SimpleCommand | null;
}

/** Longer values are not followed: `x=$x$x` doubles each time. */
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

export function asText(word: Word): Text {
  return { text: word.text, from: originOf(word) };
}

/** The words as one text, joined as by `eval` and `ssh`. */
export function joined(words: readonly Word[], separator = ' '): Text {
  const parts = words.map((word, at) => ({ text: (at === 0 ? '' : separator) + word.text, from: originOf(word) }));
  return concat(parts);
}

/** Programs that a glob as the command word, `/bin/r?`, counts as: the most dangerous that it could match. */
const GLOB_READINGS = namesIn(`rm sh bash dash zsh dd mkfs shred git sudo su curl wget nc python3 python perl ruby node
  php chmod chown kill mv find xargs env eval`);

/** Last part of a program's path without its unknown parts: `rm` for `/bin/rm`, `$DIR/rm` and `r${X}m`. */
export function programName(text: string): string {
  const name = text.slice(text.lastIndexOf('/') + 1);
  return name.replaceAll(UNKNOWN, '').replace(/\.exe$/i, '');
}

export function nameOfProgram(word: Word): string {
  const name = programName(word.text);
  return word.glob ? (GLOB_READINGS.find((program) => couldMatch(name, program)) ?? name) : name;
}
