import fc from 'fast-check';
import { expect, test } from 'vitest';
import { hang } from './hang.ts';

test('a line that fits is left alone', () => {
  expect(hang('  verdict   accepted', 20)).toEqual(['  verdict   accepted']);
});

test('a longer one is broken between words, in step with the text beside its label', () => {
  expect(hang('  verdict   rejected · a check that was green is red', 34)).toEqual([
    '  verdict   rejected · a check',
    '            that was green is red',
  ]);
});

test('lines without a label begin anew at the margin, deeper ones keep their depth', () => {
  expect(hang('estimate: one story left', 14)).toEqual(['estimate: one', 'story left']);
  expect(hang(`${' '.repeat(14)}raise the limit or wait`, 30)).toEqual([
    `${' '.repeat(14)}raise the limit`,
    `${' '.repeat(14)}or wait`,
  ]);
});

test('colours take no column, and stay', () => {
  const red = '\u001b[31mrejected\u001b[39m';
  expect(hang(`  verdict   ${red} again`, 26)).toEqual([`  verdict   ${red} again`]);
  expect(hang(`  verdict   ${red} again`, 25)).toEqual([`  verdict   ${red}`, '            again']);
});

test('a word that is wider than the terminal stays whole, beside its label', () => {
  const line = '  commit    0123456789012345678901234567890';
  expect(hang(line, 26)).toEqual([line]);
});

test('no word is lost or moved, whatever the width', () => {
  const word = fc.string({ unit: fc.constantFrom('a', 'b', '·'), minLength: 1, maxLength: 12 });
  fc.assert(
    fc.property(fc.array(word, { minLength: 1, maxLength: 30 }), fc.integer({ min: 1, max: 60 }), (words, columns) => {
      const line = `  label     ${words.join(' ')}`;
      expect(hang(line, columns).join(' ').split(/ +/)).toEqual(line.split(/ +/));
    }),
  );
});
