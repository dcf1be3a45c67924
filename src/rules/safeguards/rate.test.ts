import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { LedgerLine } from '../../contracts/state/ledger.ts';
import { anyLedger } from './any-ledger.fixture.ts';
import { aLine, aReset } from './ledger.fixture.ts';
import { rateOf } from './rate.ts';

const HOUR = 3_600_000;
const NOW = 100 * HOUR;
const at = (...calls: number[]) => aLine({ calls });

describe('rateOf', () => {
  it('counts the starts of the last hour, in every run', () => {
    const ledger = [at(NOW - HOUR, NOW - HOUR + 1), aReset(), { ...at(NOW - 5), run: 'r0' }];
    expect(rateOf({ ledger, now: NOW, limit: 3 })).toEqual({ used: 2, limit: 3, freeAt: null });
  });

  it('takes an older line without a list for one start', () => {
    expect(rateOf({ ledger: [aLine({ startedAt: NOW - 7 })], now: NOW, limit: 9 }).used).toBe(1);
    expect(rateOf({ ledger: [aLine({ startedAt: NOW - 7, calls: [] })], now: NOW, limit: 9 }).used).toBe(0);
  });

  it('is free again when enough starts have left the window', () => {
    const ledger = [at(NOW - 30, NOW - 10), at(NOW - 20)];
    expect(rateOf({ ledger, now: NOW, limit: 3 }).freeAt).toBe(NOW - 30 + HOUR);
    expect(rateOf({ ledger, now: NOW, limit: 1 }).freeAt).toBe(NOW - 10 + HOUR);
    expect(rateOf({ ledger, now: NOW - 30 + HOUR, limit: 3 })).toMatchObject({ used: 2, freeAt: null });
  });

  it('counts what the ledger does not have yet', () => {
    expect(rateOf({ ledger: [], now: NOW, limit: 1, extra: [NOW] })).toEqual({ used: 1, limit: 1, freeAt: NOW + HOUR });
  });

  it('counts starts in the future, for an hour at most and with the same end while one waits', () => {
    const ledger = [at(NOW + 10 * HOUR + 5)];
    expect(rateOf({ ledger, now: NOW, limit: 1 })).toEqual({ used: 1, limit: 1, freeAt: NOW + 5 });
    expect(rateOf({ ledger, now: NOW + 4, limit: 1 }).freeAt).toBe(NOW + 5);
    expect(rateOf({ ledger: [at(NOW + HOUR)], now: NOW, limit: 1 }).freeAt).toBe(NOW + HOUR);
  });
});

/** A moment during the ledger or after it. */
const nows = fc.integer({ min: 1_000_000_000, max: 1_000_000_000 + 20 * HOUR });

/** Looks from every moment at which something could change whether one more would be too many. */
function model(ledger: readonly LedgerLine[], now: number, limit: number): { used: number; freeAt: number | null } {
  const starts: number[] = [];
  for (const line of ledger) {
    if (line.kind === 'iteration') for (const call of line.calls ?? [line.startedAt]) starts.push(call);
  }
  const seenFrom = (moment: number) => starts.filter((start) => moment - start < HOUR).length;
  const moments = [now, ...starts.map((start) => start + HOUR).filter((moment) => moment > now)];
  const free = moments.filter((moment) => seenFrom(moment) < limit).reduce((one, other) => Math.min(one, other));
  return { used: seenFrom(now), freeAt: free === now ? null : free };
}

describe('rateOf, against a simple model', () => {
  it('agrees with it while clocks go forward', () => {
    fc.assert(
      fc.property(anyLedger, nows, fc.integer({ min: 1, max: 8 }), (ledger, later, limit) => {
        const starts = ledger.flatMap((line) => (line.kind === 'iteration' ? (line.calls ?? [line.startedAt]) : []));
        const now = Math.max(later, ...starts);
        expect(rateOf({ ledger, now, limit })).toEqual({ limit, ...model(ledger, now, limit) });
      }),
      { numRuns: 500 },
    );
  });

  it('lets nobody wait for more than an hour, nor for nothing, whatever the clock does', () => {
    fc.assert(
      fc.property(anyLedger, nows, fc.integer({ min: 1, max: 8 }), (ledger, now, limit) => {
        const { used, freeAt } = rateOf({ ledger, now, limit });
        expect(freeAt === null).toBe(used < limit);
        if (freeAt === null) return;
        expect(freeAt).toBeGreaterThan(now);
        expect(freeAt).toBeLessThanOrEqual(now + HOUR);
      }),
    );
  });

  it('does not depend on the order of the lines, nor on the runs they are of', () => {
    fc.assert(
      fc.property(anyLedger, nows, (ledger, now) => {
        const shuffled = [...ledger]
          .reverse()
          .map((line) => (line.kind === 'iteration' ? { ...line, run: 'r9' } : line));
        expect(rateOf({ ledger: shuffled, now, limit: 3 })).toEqual(rateOf({ ledger, now, limit: 3 }));
      }),
    );
  });
});
