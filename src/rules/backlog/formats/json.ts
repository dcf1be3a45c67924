import { type ParseError, parse, printParseErrorCode } from 'jsonc-parser';
import type { Problem } from '../../../contracts/index.ts';
import { error, lineAt } from './text.ts';

/** What each error of the tolerant parser means for the person who has to fix the file. */
const MEANINGS: Readonly<Record<string, string>> = {
  PropertyNameExpected: 'a property name in double quotes was expected',
  ValueExpected: 'a value was expected',
  ColonExpected: 'a colon was expected after the property name',
  CommaExpected: 'a comma was expected',
  CloseBraceExpected: 'a closing } was expected',
  CloseBracketExpected: 'a closing ] was expected',
  EndOfFileExpected: 'there is more text after the end of the JSON',
  InvalidCommentToken: 'comments are not allowed in JSON',
  UnexpectedEndOfComment: 'a comment is not closed',
  UnexpectedEndOfString: 'a string is not closed',
  UnexpectedEndOfNumber: 'a number is incomplete',
  InvalidUnicode: 'a \\u escape is not followed by four hexadecimal digits',
  InvalidEscapeCharacter: 'a backslash is followed by an unknown escape',
  InvalidCharacter: 'a string contains a control character',
  InvalidNumberFormat: 'a number is malformed',
  InvalidSymbol: 'a bare word is neither true, false nor null',
};

/** The JSON value of a text; a byte order mark is allowed. Syntax errors come with line, meaning and fix. */
export function parseJson(text: string, file: string): { readonly value: unknown } | { readonly problem: Problem } {
  const json = text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
  try {
    const value: unknown = JSON.parse(json);
    const { deep, inexact } = survey(value);
    if (deep) return { problem: tooDeep(json, file) };
    return { value: inexact ? JSON.parse(quoteLongNumbers(json)) : value };
  } catch {
    return { problem: describeSyntax(json, file) };
  }
}

/** Deeper than any document that people or tools write, and far below the stack limit. */
const DEEPEST = 200;
export const CONFLICT = /^(?:<{7}|={7}|>{7})(?:\s|$)/m;

/** Ids with more digits than a number can hold (chat ids, for instance) become strings, to keep every digit. */
function quoteLongNumbers(json: string): string {
  return json.replace(/"(?:[^"\\]|\\.)*"|(?<![\d.eE+-])-?\d{16,}(?![\d.eE])/g, (token) =>
    token.startsWith('"') || Number.isSafeInteger(Number(token)) ? token : `"${token}"`,
  );
}

/** Whether a value is nested too deeply to be walked, and whether a number in it may have lost digits. */
function survey(value: unknown): { readonly deep: boolean; readonly inexact: boolean } {
  let inexact = false;
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0 && depth <= DEEPEST; depth += 1) {
    const next: unknown[] = [];
    for (const node of level as Readonly<Record<string, unknown>>[]) {
      for (const key in node) {
        const child = node[key];
        if (typeof child === 'object' && child !== null) next.push(child);
        else if (typeof child === 'number' && Math.abs(child) > Number.MAX_SAFE_INTEGER) inexact = true;
      }
    }
    level = next;
  }
  return { deep: level.length > 0, inexact };
}

function tooDeep(json: string, file: string): Problem {
  let depth = 0;
  let at = 0;
  for (const { 0: sign, index } of json.matchAll(/"(?:[^"\\]|\\.)*"|[[\]{}]/g)) {
    if (depth > DEEPEST) break;
    at = index + 1;
    if (sign === '{' || sign === '[') depth += 1;
    else if (sign === '}' || sign === ']') depth -= 1;
  }
  const message = `the JSON is nested more than ${DEEPEST} levels deep`;
  const fix = 'Remove the deep nesting; no backlog needs it.';
  return error('schema/depth', file, lineAt(json, at), message, fix);
}

/** A second, slower parse that only broken files need: its messages do not depend on the version of Node. */
function describeSyntax(json: string, file: string): Problem {
  if (json.trim() === '') {
    const fix = 'Write at least {"userStories": []}, or restore the file from git.';
    return error('schema/empty', file, 1, 'the file is empty', fix);
  }
  const conflict = CONFLICT.exec(json);
  if (conflict) {
    const message = `a merge conflict was left in the file: ${conflict[0].trim()}`;
    const fix =
      'Choose one side of each conflict and remove the conflict markers; `git checkout --ours` or `--theirs` takes one side entirely.';
    return error('schema/conflict', file, lineAt(json, conflict.index), message, fix);
  }
  const first = firstSyntaxError(json);
  const offset = Math.min(first?.offset ?? 0, json.length);
  const end = json.trimEnd().length;
  if (first && offset >= end) {
    const fix = 'Restore the file from git; what comes after this line is missing.';
    return error('schema/syntax', file, lineAt(json, end), 'the JSON ends here: the file is truncated', fix);
  }
  const meaning = (first && MEANINGS[printParseErrorCode(first.error)]) ?? 'the file cannot be read as JSON';
  const fix = 'Fix the syntax at this line; the mistake may be at the end of the line before.';
  const column = offset - json.lastIndexOf('\n', offset - 1);
  const message = `not valid JSON at column ${column}: ${meaning}`;
  return error('schema/syntax', file, lineAt(json, offset), message, fix);
}

function firstSyntaxError(json: string): ParseError | null {
  const errors: ParseError[] = [];
  try {
    parse(json, errors, { disallowComments: true, allowTrailingComma: false });
  } catch {
    return null; // Nested so deeply that the recursive parser gives up.
  }
  return errors[0] ?? null;
}

/*
 * Positions of values in JSON text, found without building a tree: the text has passed `JSON.parse`, so it is enough to
 * count brackets and skip strings. One pass, linear, no recursion.
 */

/** A value in its container: `[start, end)` in the text; members of objects also have a key and its position. */
export interface Child {
  readonly key: string | null;
  /** Start of the key for members, else of the value. */
  readonly from: number;
  readonly start: number;
  readonly end: number;
}

const QUOTE = 34;
const BACKSLASH = 92;
const OPEN_ARRAY = 91;
const CLOSE_ARRAY = 93;
const OPEN_OBJECT = 123;
const CLOSE_OBJECT = 125;
const COMMA = 44;

/** Offset of the first character at or after `at` that is not white space (a byte order mark counts as white space). */
export function skipSpace(text: string, at: number): number {
  let i = at;
  for (;;) {
    const code = text.charCodeAt(i);
    if (code === 32 || code === 10 || code === 13 || code === 9 || code === 0xfeff) i += 1;
    else return i;
  }
}

export function skipValue(text: string, start: number): number {
  const first = text.charCodeAt(start);
  if (first === QUOTE) return skipString(text, start);
  if (first !== OPEN_ARRAY && first !== OPEN_OBJECT) return skipScalar(text, start);
  let depth = 0;
  for (let i = start; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === QUOTE) i = skipString(text, i) - 1;
    else if (code === OPEN_OBJECT || code === OPEN_ARRAY) depth += 1;
    else if (code === CLOSE_OBJECT || code === CLOSE_ARRAY) {
      depth -= 1;
      if (depth === 0) return i + 1;
    }
  }
  return text.length;
}

/** The children of the array or object that starts at `start`, in file order; nothing for a scalar. */
export function children(text: string, start: number): Child[] {
  const found: Child[] = [];
  for (let at = firstChild(text, start); at !== -1; ) {
    const { key, value } = readKey(text, start, at);
    const end = skipValue(text, value);
    found.push({ key, from: at, start: value, end });
    at = nextChild(text, end);
  }
  return found;
}

/** The child under a key or an index. Of repeated keys the last counts, as it does for `JSON.parse`. */
export function childAt(all: readonly Child[], key: string | number): Child | undefined {
  return typeof key === 'number' ? all[key] : all.findLast((child) => child.key === key);
}

/**
 * Where the elements of an array start. With one element per line they are found by their indentation: raw line breaks
 * never occur inside JSON strings, so a search is safe if it finds `count`. Any other layout is scanned.
 */
export function elementStarts(text: string, start: number, count: number): number[] {
  if (count === 0) return [];
  if (text.charCodeAt(start) === OPEN_ARRAY) {
    const first = skipSpace(text, start + 1);
    const lineBreak = text.lastIndexOf('\n', first);
    if (lineBreak > start) {
      const lead = text.slice(lineBreak, first + 1);
      const found: number[] = [];
      for (let at = lineBreak; at !== -1 && found.length <= count; at = text.indexOf(lead, at + 1)) {
        found.push(at + lead.length - 1);
      }
      if (found.length === count) return found;
    }
  }
  return children(text, start).map((child) => child.start);
}

/** Start of the value at the end of a path from the root; the text after it is not scanned. */
export function locate(text: string, path: readonly (string | number)[]): number | null {
  let at: number | null = skipSpace(text, 0);
  for (const key of path) {
    at = at === null ? null : findChild(text, at, key);
  }
  return at;
}

/** Start of one child's value. Of repeated keys the first is found: looking for others would read the whole text. */
function findChild(text: string, start: number, wanted: string | number): number | null {
  let index = 0;
  for (let at = firstChild(text, start); at !== -1; index++) {
    const { key, value } = readKey(text, start, at);
    if (wanted === (key ?? index)) return value;
    at = nextChild(text, skipValue(text, value));
  }
  return null;
}

/** The start of a container's first child, with its key if it has one; -1 when there is no child. */
function firstChild(text: string, start: number): number {
  const open = text.charCodeAt(start);
  if (open !== OPEN_ARRAY && open !== OPEN_OBJECT) return -1;
  const at = skipSpace(text, start + 1);
  const code = text.charCodeAt(at);
  return code === CLOSE_ARRAY || code === CLOSE_OBJECT ? -1 : at;
}

function nextChild(text: string, end: number): number {
  const at = skipSpace(text, end);
  return text.charCodeAt(at) === COMMA ? skipSpace(text, at + 1) : -1;
}

function readKey(text: string, container: number, at: number): { key: string | null; value: number } {
  if (text.charCodeAt(container) !== OPEN_OBJECT) return { key: null, value: at };
  const end = skipString(text, at);
  const colon = skipSpace(text, end);
  return { key: JSON.parse(text.slice(at, end)) as string, value: skipSpace(text, colon + 1) };
}

function skipString(text: string, start: number): number {
  for (let i = start + 1; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === BACKSLASH) i += 1;
    else if (code === QUOTE) return i + 1;
  }
  return text.length;
}

function skipScalar(text: string, start: number): number {
  let i = start;
  while (i < text.length) {
    const code = text.charCodeAt(i);
    if (code === COMMA || code === CLOSE_ARRAY || code === CLOSE_OBJECT || code <= 32) break;
    i += 1;
  }
  return i;
}
