import { expect, test } from 'vitest';
import { livedMs } from './alive.ts';
import { aLine } from './ledger.fixture.ts';

const ledger = [aLine({ durationMs: 1_000 }), aLine({ run: 'r0', durationMs: 50_000 })];
const waiting = { why: 'rate', since: 9_000, until: 12_000 } as const;

test('a run has lived for its iterations and waits, the one under way included', () => {
  expect(livedMs({ run: 'r1' }, ledger, 10_000)).toBe(1_000);
  expect(livedMs({ run: 'r1', waitedMs: 500, waiting: null }, ledger, 10_000)).toBe(1_500);
  expect(livedMs({ run: 'r1', waitedMs: 500, waiting }, ledger, 10_000)).toBe(2_500);
});

test('a run that was cut off in a wait does not grow older, and a clock that was set back takes nothing away', () => {
  expect(livedMs({ run: 'r1', waiting }, ledger, null)).toBe(1_000);
  expect(livedMs({ run: 'r1', waiting }, ledger, 2_000)).toBe(1_000);
});

test("what comes after the end of a wait is not the run's: nobody was there to go on", () => {
  expect(livedMs({ run: 'r1', waiting }, ledger, 90_000)).toBe(4_000);
  expect(livedMs({ run: 'r1', waiting: { ...waiting, until: null } }, ledger, 90_000)).toBe(82_000);
});
