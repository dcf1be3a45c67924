import fc from 'fast-check';
import { expect, test } from 'vitest';
import { displayWidth, padEnd, padStart, truncate } from './width.ts';

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

test('a huge text is cut without being measured whole', () => {
  const before = performance.now();
  expect(truncate('é'.repeat(20_000_000), 10)).toBe(`${'é'.repeat(9)}…`);
  expect(performance.now() - before).toBeLessThan(10_000);
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
  expect(padStart('日', 4)).toBe('  日');
  expect(padEnd('longer', 3)).toBe('longer');
});
