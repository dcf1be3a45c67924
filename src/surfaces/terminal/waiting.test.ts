import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { nextTold, timeLeft, waitText } from './waiting.ts';

const now = new Date(2026, 0, 1, 10, 0, 0).getTime();
const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

describe('a wait in words', () => {
  test('it says how long, until when and what for', () => {
    expect(waitText({ why: 'limit', until: now + 18 * SECOND, text: 'the limit of claude' }, now)).toBe(
      '18s, until 10:00:18: the limit of claude',
    );
  });

  test.each([
    [8_400, '8s, '],
    [-20, '0s, '],
    [60_100, '1m 00s, '],
    [9_000_000, '2h 30m, '],
  ])('%d ms are told without tenths', (ms, text) => {
    expect(waitText({ why: 'rate', until: now + ms, text: '' }, now)).toContain(text);
  });

  test('a wait without an end says only what for', () => {
    expect(waitText({ why: 'pause', until: null, text: 'paused' }, now)).toBe('paused');
    expect(timeLeft({ until: null }, now)).toBe('paused; ralph resume continues');
  });

  test('what is left is a clock that counts down, with the day where it ends on another', () => {
    expect(timeLeft({ until: now + 17_400 }, now)).toBe('00:00:18 until 10:00:17');
    expect(timeLeft({ until: now + 6 * 24 * HOUR + 5 * MINUTE }, now)).toBe('6d 00:05:00 until 2026-01-07 10:05');
    expect(timeLeft({ until: now - 5 }, now)).toBe('00:00:00 until 09:59:59');
  });
});

describe('how often the time left is told', () => {
  test.each([
    ['in the last minute every ten seconds', 47 * SECOND, 40 * SECOND],
    ['on the last minute itself', MINUTE, 50 * SECOND],
    ['below an hour every minute', 12 * MINUTE + 30 * SECOND, 12 * MINUTE],
    ['above an hour every quarter of an hour', 2 * HOUR + MINUTE, 2 * HOUR],
  ])('%s', (_name, left, next) => {
    expect(left - (nextTold(left) ?? 0)).toBe(next);
  });

  test('nothing more once nothing is left', () => {
    expect(nextTold(0)).toBeNull();
    expect(nextTold(-5)).toBeNull();
  });

  test('a wait without an end is told of every quarter of an hour', () => {
    expect(nextTold(null)).toBe(15 * MINUTE);
  });

  test('from any start it ends, in few lines, however early or late a timer fires', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 7 * 24 * HOUR }), fc.integer({ min: -2, max: 400 }), (start, late) => {
        let left = start;
        let told = 0;
        for (let delay = nextTold(left); delay !== null; delay = nextTold(left)) {
          // Half a second at the least: never two lines for one figure.
          expect(delay).toBeGreaterThanOrEqual(500);
          left -= delay + late;
          told += 1;
        }
        expect(told).toBeLessThan(6 + 60 + 7 * 24 * 4 + 3);
      }),
    );
  });
});
