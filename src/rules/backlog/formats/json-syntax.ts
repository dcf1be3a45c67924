import { type ParseError, parse, printParseErrorCode } from 'jsonc-parser';
import type { Problem } from '../../../contracts/model.ts';
import { lineAt } from '../lines.ts';

/** What each complaint of the tolerant parser means for the person who has to mend the file. */
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

/** The JSON value of a text; a byte order mark is allowed. Syntax errors come with line, meaning and mend. */
export function parseJson(text: string, file: string): { readonly value: unknown } | { readonly problem: Problem } {
  const json = text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
  try {
    return { value: JSON.parse(json) as unknown };
  } catch {
    return { problem: describeSyntax(json, file) };
  }
}

/** A second, slower parse that only broken files get: its messages do not depend on the version of Node. */
function describeSyntax(json: string, file: string): Problem {
  const base = { severity: 'error', rule: 'schema/syntax', file } as const;
  if (json.trim() === '') {
    const mend = 'Write at least {"userStories": []}, or restore the file from git.';
    return { ...base, rule: 'schema/empty', line: 1, message: 'the file is empty', mend };
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
  return { ...base, line: lineAt(json, offset), message: `not valid JSON: ${meaning}`, mend };
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
