import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatDuration, parseDuration } from './durations.ts';
import { describeError } from './errors.ts';

test.each([
  ['90s', 90_000],
  ['15m', 900_000],
  ['1h30m', 5_400_000],
  ['2h', 7_200_000],
  ['1.5h', 5_400_000],
  ['250ms', 250],
  [' 2H ', 7_200_000],
  ['900', 900_000],
  [900, 900_000],
  [0, 0],
])('%j is %d milliseconds', (input, ms) => {
  expect(parseDuration(input)).toBe(ms);
});

test.each(['', 'soon', '5x', '-3s', '1h 30', 'm', '1..5h', -1, Number.NaN, Number.POSITIVE_INFINITY])(
  '%j is refused with the accepted forms',
  (input) => {
    expect(() => parseDuration(input)).toThrowError(`'${input}' is not a duration`);
    try {
      parseDuration(input);
    } catch (error) {
      expect(describeError(error)).toContain("fix:   write '90s', '15m', '1h30m', '2h' or a plain number of seconds");
    }
  },
);

test('a duration that no timer can wait for is refused', () => {
  expect(() => parseDuration('25d')).toThrowError("'25d' is too long for a duration");
  expect(parseDuration('24d')).toBeLessThan(2 ** 31);
});

test('what is formatted is read back as the same time', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 24 * 86_400_000 }), (ms) => parseDuration(formatDuration(ms)) === ms),
  );
});

test('formats are short', () => {
  expect([0, 450, 90_000, 900_000, 5_400_000, 86_400_000].map(formatDuration)).toEqual([
    '0s',
    '450ms',
    '1m30s',
    '15m',
    '1h30m',
    '1d',
  ]);
});
