import { expect, test } from 'vitest';
import { clockTime, countdown, counted, dollars, elapsed, moment, stopwatch, tokens } from './format.ts';

test.each([
  [0, '0ms'],
  [31.4, '31ms'],
  [999.6, '1.0s'],
  [2_100, '2.1s'],
  [9_960, '10s'],
  [59_499, '59s'],
  [59_600, '1m 00s'],
  [185_000, '3m 05s'],
  [7_620_000, '2h 07m'],
])('%f ms is %s', (ms, text) => {
  expect(elapsed(ms)).toBe(text);
});

test('a stopwatch counts up in whole seconds', () => {
  expect([stopwatch(-5), stopwatch(7_900), stopwatch(750_000), stopwatch(3_723_000)]).toEqual([
    '0:00',
    '0:07',
    '12:30',
    '1:02:03',
  ]);
});

test.each([
  [-5, '00:00:00'],
  [1, '00:00:01'],
  [17_000, '00:00:17'],
  [9_005_000, '02:30:05'],
  [6 * 86_400_000 + 14_400_000, '6d 04:00:00'],
])('%f ms to go are %s', (ms, text) => {
  expect(countdown(ms)).toBe(text);
});

test('a moment of today needs no day', () => {
  const at = (day: number, hour: number) => new Date(2026, 0, day, hour, 2, 9).getTime();
  expect(clockTime(at(31, 3), at(31, 1))).toBe('03:02:09');
  expect(clockTime(at(31, 3), at(30, 23))).toBe('2026-01-31 03:02');
});

test('small costs are not shown as nothing', () => {
  expect([dollars(null), dollars(0), dollars(0.004), dollars(1.2)]).toEqual(['-', '$0.00', '<$0.01', '$1.20']);
});

test('tokens get a unit', () => {
  expect([tokens(950), tokens(12_345), tokens(999_960), tokens(1_200_000)]).toEqual(['950', '12.3k', '1.0M', '1.2M']);
});

test('one is singular', () => {
  expect([counted(1, 'story', 'stories'), counted(0, 'story', 'stories'), counted(2, 'file')]).toEqual([
    '1 story',
    '0 stories',
    '2 files',
  ]);
});

test('a moment is told in local time', () => {
  expect(moment(new Date(2026, 0, 31, 8, 5).getTime())).toBe('2026-01-31 08:05');
});
