import { type ParseError, parse, printParseErrorCode } from 'jsonc-parser';
import type { Problem } from '../../../contracts/index.ts';
import { lineAt } from './text.ts';

/** What each error of the tolerant parser means for the person who has to fix the file. */
const MEANINGS: Readonly<Record<string, string>> = {
  PropertyNameExpected: 'a property name in double quotes was expected',
  ValueExpected: 'a value was expected',
  ColonExpected: 'a colon was expected after the property name',
  CommaExpected: 'a comma was expected',
  CloseBraceExpected: 'a closing } was expected',
  CloseBracketExpected: 'a closing ] was expected',
  EndOfFileExpected: 'the file goes on after its end',
  InvalidCommentToken: 'comments are not allowed in JSON',
  UnexpectedEndOfComment: 'a comment is not closed',
  UnexpectedEndOfString: 'a string is not closed',
  UnexpectedEndOfNumber: 'a number breaks off',
  InvalidUnicode: 'a \\u escape is not followed by four hexadecimal digits',
  InvalidEscapeCharacter: 'a backslash is followed by a letter that means nothing',
  InvalidCharacter: 'a string holds a control character',
  InvalidNumberFormat: 'a number is written wrongly',
  InvalidSymbol: 'a bare word is neither true, false nor null',
};

/** The JSON value of a text; a byte order mark is allowed. Syntax errors come with line, meaning and fix. */
export function parseJson(text: string, file: string): { readonly value: unknown } | { readonly problem: Problem } {
  const json = text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
  try {
    const value: unknown = JSON.parse(LONG_NUMBER.test(json) ? quoteLongNumbers(json) : json);
    return isTooDeep(value) ? { problem: tooDeep(json, file) } : { value };
  } catch {
    return { problem: describeSyntax(json, file) };
  }
}

const LONG_NUMBER = /\d{16}/;
/** Deeper than any document that people or tools write, and far below the stack limit. */
const DEEPEST = 200;
/** Marks of an unfinished merge. */
export const CONFLICT = /^(?:<{7}|={7}|>{7})(?:\s|$)/m;

/** Ids with more digits than a number can hold (chat ids, for instance) become strings, to keep every digit. */
function quoteLongNumbers(json: string): string {
  return json.replace(/"(?:[^"\\]|\\.)*"|(?<![\d.eE+-])-?\d{16,}(?![\d.eE])/g, (token) =>
    token.startsWith('"') || Number.isSafeInteger(Number(token)) ? token : `"${token}"`,
  );
}

/** Whether a value is nested too deeply to be walked; level by level, without recursion. */
function isTooDeep(value: unknown): boolean {
  let level: object[] = typeof value === 'object' && value !== null ? [value] : [];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > DEEPEST) return true;
    const next: object[] = [];
    for (const node of level) {
      const inner: unknown[] = Array.isArray(node) ? node : Object.values(node);
      for (const child of inner) if (typeof child === 'object' && child !== null) next.push(child);
    }
    level = next;
  }
  return false;
}

function tooDeep(json: string, file: string): Problem {
  let depth = 0;
  let inString = false;
  let at = 0;
  for (; at < json.length && depth <= DEEPEST; at += 1) {
    const sign = json[at];
    if (inString) {
      if (sign === '\\') at += 1;
      else if (sign === '"') inString = false;
    } else if (sign === '"') inString = true;
    else if (sign === '{' || sign === '[') depth += 1;
    else if (sign === '}' || sign === ']') depth -= 1;
  }
  const message = `the JSON is nested more than ${DEEPEST} levels deep`;
  const mend = 'Take out what is nested like that; no backlog needs it.';
  return { severity: 'error', rule: 'schema/depth', file, line: lineAt(json, at), message, mend };
}

/** A second, slower parse that only broken files need: its messages do not depend on the version of Node. */
function describeSyntax(json: string, file: string): Problem {
  const base = { severity: 'error', rule: 'schema/syntax', file } as const;
  if (json.trim() === '') {
    const mend = 'Write at least {"userStories": []}, or restore the file from git.';
    return { ...base, rule: 'schema/empty', line: 1, message: 'the file is empty', mend };
  }
  const conflict = CONFLICT.exec(json);
  if (conflict) {
    const message = `a merge conflict was left in the file: ${conflict[0].trim()}`;
    const mend =
      'Choose one side of each conflict and take its marks out; `git checkout --ours` or `--theirs` takes one side whole.';
    return { ...base, rule: 'schema/conflict', line: lineAt(json, conflict.index), message, mend };
  }
  const first = firstSyntaxError(json);
  const offset = Math.min(first?.offset ?? 0, json.length);
  const end = json.trimEnd().length;
  if (first && offset >= end) {
    const mend = 'Restore the file from git; what comes after this line is missing.';
    return { ...base, line: lineAt(json, end), message: 'the JSON breaks off here: the file is truncated', mend };
  }
  const meaning = (first && MEANINGS[printParseErrorCode(first.error)]) ?? 'the file cannot be read as JSON';
  const mend = 'Mend the syntax at this line; the mistake may stand at the end of the line before.';
  const column = offset - json.lastIndexOf('\n', offset - 1);
  return { ...base, line: lineAt(json, offset), message: `not valid JSON at column ${column}: ${meaning}`, mend };
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
