import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LONGEST_NOTE, noteProblem } from './note-text.ts';

test.each([
  ['one line', 'use tabs, not spaces'],
  ['several lines and a tab', 'first\n\n\tsecond'],
  ['other scripts and emoji', 'größer als 10 €? 日本語 👍🏽'],
  ['just as long as it may be', 'é'.repeat(LONGEST_NOTE / 2)],
])('%s may be passed on', (_, text) => {
  expect(noteProblem(text)).toBeNull();
});

test.each([
  ['nothing', '', 'is empty'],
  ['only white space', ' \n\t', 'is empty'],
  [
    'a byte too many',
    `é${'x'.repeat(LONGEST_NOTE - 1)}`,
    `has ${LONGEST_NOTE + 1} bytes; ${LONGEST_NOTE} are the most`,
  ],
  ['an escape sequence', 'red: \u001b[31m', 'holds the control character U+001B at position 6'],
  ['a null', 'a\u0000b', 'holds the control character U+0000 at position 2'],
  ['a carriage return', 'good\rbad', 'holds the control character U+000D at position 5'],
  ['a control of the upper range', 'a\u009b31m', 'holds the control character U+009B at position 2'],
  ['text that is shown in another order', 'ab\u202edc', 'holds the control character U+202E at position 3'],
])('%s is refused', (_, text, problem) => {
  expect(noteProblem(text)).toBe(problem);
});

test('whatever is printable may be passed on, and no control but tab and line break', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme-ascii', minLength: 1 }), fc.nat(0x9f), (text, code) => {
      const isControl = (code < 0x20 && code !== 0x09 && code !== 0x0a) || code > 0x7e;
      expect(noteProblem(`x${text}${String.fromCharCode(code)}y`) !== null).toBe(isControl);
    }),
  );
});
