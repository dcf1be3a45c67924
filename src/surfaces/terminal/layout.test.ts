import { stripVTControlCharacters } from 'node:util';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Column, displayWidth, hang, padEnd, renderColumns, truncate } from './layout.ts';
import { coloured } from './paint.fixture.ts';

test.each([
  ['plain', 5],
  ['日本語', 6],
  ['é', 1],
  ['e\u0301', 1],
  ['👍', 2],
  ['👩‍👩‍👧', 2],
  ['✓ ok', 4],
  ['ｗｉｄｅ', 8],
  ['\u200b', 0],
])('%s takes %i columns', (text, columns) => {
  expect(displayWidth(text)).toBe(columns);
});

test('text that fits is left alone', () => {
  expect(truncate('exact', 5)).toBe('exact');
});

test('text that does not fit ends in an ellipsis', () => {
  expect(truncate('too long', 5)).toBe('too …');
  expect(truncate('日本語', 4)).toBe('日…');
  expect(truncate('anything', 0)).toBe('');
});

test('a huge text is cut', () => {
  expect(truncate('é'.repeat(20_000_000), 10)).toBe(`${'é'.repeat(9)}…`);
});

test('no truncated text is wider than asked', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'grapheme' }),
      fc.nat(30),
      (text, columns) => displayWidth(truncate(text, columns)) <= columns,
    ),
  );
});

test('padding counts columns, not characters', () => {
  expect(padEnd('日', 4)).toBe('日  ');
  const right: Column<string> = { title: 'four', text: (text) => text, align: 'right' };
  expect(renderColumns([right], ['日'], 80)).toEqual(['four', '  日']);
  expect(padEnd('longer', 3)).toBe('longer');
});

interface Row {
  readonly id: string;
  readonly cost: string;
  readonly title: string;
}

const columns: readonly Column<Row>[] = [
  { title: 'id', text: (row) => row.id },
  { title: 'cost', text: (row) => row.cost, align: 'right', tone: () => 'good' },
  { title: 'title', text: (row) => row.title, flexible: true },
];
const rows = [
  { id: 'US-001', cost: '$1.10', title: 'Log in' },
  { id: 'US-2', cost: '$10.00', title: 'ログアウト and something that is much too long' },
];

test('columns line up, numbers to the right, the flexible one cut to the width', () => {
  expect(renderColumns(columns, rows, 40).join('\n')).toMatchInlineSnapshot(`
    "id        cost  title
    US-001   $1.10  Log in
    US-2    $10.00  ログアウト and somethin…"
  `);
});

test('without a width nothing is cut', () => {
  expect(renderColumns(columns, rows, Number.POSITIVE_INFINITY)[2]).toContain('much too long');
});

test('colours do not disturb the alignment', () => {
  const painted = renderColumns(columns, rows, 40, coloured).map((line) => stripVTControlCharacters(line));
  expect(painted).toEqual(renderColumns(columns, rows, 40));
});

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
