import { ownValue } from '../../contracts/index.ts';

/** Names of keys without a character. */
export type KeyName =
  | 'up'
  | 'down'
  | 'left'
  | 'right'
  | 'page-up'
  | 'page-down'
  | 'home'
  | 'end'
  | 'tab'
  | 'shift-tab'
  | 'enter'
  | 'escape'
  | 'backspace'
  | 'delete'
  | 'ctrl-c'
  | 'ctrl-u'
  | 'ctrl-w';

export interface Key {
  readonly name: KeyName | null;
  /** The typed text; '' for named keys. */
  readonly text: string;
}

/**
 * The pieces of terminal input: sequences for keys without a character (CSI, SS3, the Linux console's own), strings
 * that only programs send but people paste, a key with Alt, the escape key, a character.
 */
const PIECE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences begin with one
  /(?:\u001b{1,2}\[|\u009b)(\[[A-E]|[0-?]*[ -/]*[@-~])|\u001b{1,2}O([0-9;]*[A-Za-z])|\u001b[\]PX^_][^\u0007\u001b]*(?:\u0007|\u001b\\)|\u001b[^\u001b\u0000-\u001f]|\u001b|[^\u001b]/gsu;

/** The beginning of an escape sequence whose rest is still to come. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences begin with one
const UNFINISHED = /\u001b{1,2}(?:\[\[?[0-?]*[ -/]*|O[0-9;]*)?$/;

const BY_FINAL: Readonly<Record<string, KeyName>> = {
  A: 'up',
  B: 'down',
  C: 'right',
  D: 'left',
  H: 'home',
  F: 'end',
  Z: 'shift-tab',
};

/** `ESC [ <number> ~` */
const BY_NUMBER: Readonly<Record<string, KeyName>> = {
  1: 'home',
  3: 'delete',
  4: 'end',
  5: 'page-up',
  6: 'page-down',
  7: 'home',
  8: 'end',
};

const CONTROLS: Readonly<Record<string, KeyName>> = {
  '\u0003': 'ctrl-c',
  '\u0015': 'ctrl-u',
  '\u0017': 'ctrl-w',
  '\u0001': 'home',
  '\u0005': 'end',
  '\u0008': 'backspace',
  '\u007f': 'backspace',
  '\t': 'tab',
  '\r': 'enter',
  '\n': 'enter',
  '\u001b': 'escape',
};

/** Where the part of the input begins that has to wait: a sequence may arrive in two parts over a slow line. Pure. */
export function unfinishedAt(input: string): number {
  const at = input.search(UNFINISHED);
  return at < 0 ? input.length : at;
}

/**
 * The keys of one piece of input. Text typed fast, or pasted, arrives as one piece: it is taken apart, colours and the
 * like in it are ignored, and everything after a line break is dropped, as the rest of a pasted text must not act as
 * keys. Pure.
 */
export function keysOf(input: string): readonly Key[] {
  const keys: Key[] = [];
  for (const [piece, csi, ss3] of input.matchAll(PIECE)) {
    const key = keyOf(piece, csi ?? ss3 ?? null);
    if (key !== null) keys.push(key);
    if (key?.name === 'enter') break;
  }
  return keys;
}

function keyOf(piece: string, sequence: string | null): Key | null {
  if (sequence !== null) return named(nameOfSequence(sequence));
  const control = ownValue(CONTROLS, piece);
  if (control !== undefined) return named(control);
  // Alt with a key, strings pasted from programs, and controls without a meaning here.
  return /^[\p{Cc}\p{Cs}]/u.test(piece) ? null : { name: null, text: piece };
}

/** Ctrl, Alt and Shift (`1;5A`) are ignored. */
function nameOfSequence(sequence: string): KeyName | undefined {
  const end = sequence.at(-1) ?? '';
  if (end !== '~') return /^[0-9;]*$/.test(sequence.slice(0, -1)) ? ownValue(BY_FINAL, end) : undefined;
  return ownValue(BY_NUMBER, sequence.slice(0, -1).split(';')[0] ?? '');
}

function named(name: KeyName | undefined): Key | null {
  return name === undefined ? null : { name, text: '' };
}

/** A line that is being typed, and the cursor in it, in code units. */
interface Line {
  readonly text: string;
  readonly cursor: number;
}

/** One user-perceived character before and after a place. */
const BEFORE = /(?:\p{RI}\p{RI}|\P{M}\p{M}*(?:\u200d\P{M}\p{M}*)*)$/su;
const BEHIND = /^(?:\p{RI}\p{RI}|\P{M}\p{M}*(?:\u200d\P{M}\p{M}*)*)/su;

/** What a key does to a line. Pure. */
export function edited({ text, cursor }: Line, key: Key): Line {
  const before = text.slice(0, cursor);
  const behind = text.slice(cursor);
  const left = before.replace(BEFORE, '');
  const right = behind.replace(BEHIND, '');
  switch (key.name) {
    case null:
      return { text: before + key.text + behind, cursor: cursor + key.text.length };
    case 'backspace':
      return { text: left + behind, cursor: left.length };
    case 'delete':
      return { text: before + right, cursor };
    case 'left':
      return { text, cursor: left.length };
    case 'right':
      return { text, cursor: text.length - right.length };
    case 'home':
      return { text, cursor: 0 };
    case 'end':
      return { text, cursor: text.length };
    case 'ctrl-u':
      return { text: behind, cursor: 0 };
    case 'ctrl-w': {
      const rest = before.replace(/\S*\s*$/, '');
      return { text: rest + behind, cursor: rest.length };
    }
    default:
      return { text, cursor };
  }
}
