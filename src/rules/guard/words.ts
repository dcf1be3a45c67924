import type { SimpleCommand, Text, Word } from './api.ts';
import { couldMatch } from './glob.ts';
import { namesIn } from './tables.ts';

/** Replaces an unknown part of a text. */
export const UNKNOWN = '\uFFFD';

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

/** The values as one text, joined as by `eval` and `ssh`. */
export function joined(values: readonly Text[], separator = ' '): Text {
  const from = values.find((value) => value.from !== null)?.from ?? null;
  const length = values.reduce((sum, value) => sum + value.text.length, 0);
  return length > LONGEST_VALUE ? unknownFrom(from) : { text: values.map(({ text }) => text).join(separator), from };
}

export function concat(values: readonly Text[]): Text {
  return joined(values, '');
}

/** A word of this value; `glob` says whether `*`, `?` and `[…]` in it are patterns. */
export function wordOf(value: string | Text, glob = false): Word {
  const { text, from } = typeof value === 'string' ? { text: value, from: null } : value;
  return { text, from, glob: glob && /[*?[]/.test(text) };
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
