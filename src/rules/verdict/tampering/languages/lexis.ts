import type { Lexis } from './language.ts';

/** Languages of the C family: `//`, block comments, double quotes and characters. */
export const cLexis: Lexis = {
  lineComments: ['//'],
  blockComments: [['/*', '*/']],
  strings: [
    { open: '"', close: '"' },
    { open: "'", close: "'" },
  ],
};

/** The C family with text blocks in three quotes (Java, Kotlin, Swift, C#). */
export const textBlockLexis: Lexis = {
  ...cLexis,
  strings: [{ open: '"""', close: '"""', multiline: true }, ...cLexis.strings],
};

/** Names of functions that assert, by the habits of languages that write `assertSame` … */
export const camelAsserter = String.raw`\b(?:assert|expect|verify|check|should|ensure|must|require)[A-Z]\w*\s*\(`;

/** … and of those that write `assert_same`. */
export const snakeAsserter = String.raw`\b(?:assert|expect|verify|check|should|ensure|must|require)_\w+[?!]?\s*\(`;
