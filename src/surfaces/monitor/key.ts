/** A key as the monitor knows it: a name for those that have no character. */
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
  /** What was typed; '' for named keys. */
  readonly text: string;
}

/**
 * The pieces of terminal input: what terminals send for keys without a character (CSI, SS3, the Linux console's own),
 * strings that only programs send but people paste, a key with Alt, the escape key, a character.
 */
const PIECE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences begin with one
  /(?:\u001b{1,2}\[|\u009b)(\[[A-E]|[0-?]*[ -/]*[@-~])|\u001b{1,2}O([0-9;]*[A-Za-z])|\u001b[\]PX^_][^\u0007\u001b]*(?:\u0007|\u001b\\)|\u001b[^\u001b\u0000-\u001f]|\u001b|[^\u001b]/gsu;

/** The beginning of an escape sequence, whose rest is on its way. */
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

/** How much of the input has to wait for its rest: a sequence may come in two parts over a slow line. Pure. */
export function unfinishedAt(input: string): number {
  const at = input.search(UNFINISHED);
  return at < 0 ? input.length : at;
}

/**
 * The keys of one piece of input, whatever it is. What was typed fast, or pasted, comes as one piece: it is taken apart,
 * colours and the like in it are nothing, and what stands behind a line break is dropped, as the rest of a pasted text
 * must not act as keys. Pure.
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
  const control = Object.hasOwn(CONTROLS, piece) ? CONTROLS[piece] : undefined;
  if (control !== undefined) return named(control);
  // Alt with a key, pasted strings of programs, and controls that mean nothing here.
  return /^[\p{Cc}\p{Cs}]/u.test(piece) ? null : { name: null, text: piece };
}

/** With Ctrl, Alt or Shift (`1;5A`) a key does what it does without. */
function nameOfSequence(sequence: string): KeyName | undefined {
  const end = sequence.at(-1) ?? '';
  if (end !== '~') return /^[0-9;]*$/.test(sequence.slice(0, -1)) ? own(BY_FINAL, end) : undefined;
  return own(BY_NUMBER, sequence.slice(0, -1).split(';')[0] ?? '');
}

function own(names: Readonly<Record<string, KeyName>>, name: string): KeyName | undefined {
  return Object.hasOwn(names, name) ? names[name] : undefined;
}

function named(name: KeyName | undefined): Key | null {
  return name === undefined ? null : { name, text: '' };
}
