import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { runs } from '../../../test/support/property-runs.ts';
import { type LedgerLine, NO_USAGE, type RunLimits } from '../../contracts/index.ts';
import { anyLedger } from './any-ledger.fixture.ts';
import type { Shared } from './api.ts';
import {
  liveOverrun,
  rateOf,
  recentCalls,
  remainingUsd,
  runOverrun,
  sharedOverrun,
  spentBy,
  storyCost,
  turnUse,
} from './budgets.ts';
import { aLine, aReset } from './ledger.fixture.ts';

const NONE: Pick<RunLimits, 'maxCost' | 'maxTokens' | 'maxDurationMs' | 'storyMaxCost'> = {
  maxCost: null,
  maxTokens: null,
  maxDurationMs: null,
  storyMaxCost: null,
};
const NOTHING = { costUsd: 0, tokens: 0 };
const of = (costUsd: number, fields: Parameters<typeof aLine>[0] = {}) => aLine({ costUsd, ...fields });

describe('spentBy', () => {
  it('adds up what the iterations of the run used, those that count for nothing else too', () => {
    const usage = { ...NO_USAGE, inputTokens: 1, outputTokens: 20, cacheReadTokens: 300, cacheWriteTokens: 4000 };
    const ledger = [
      of(1, { usage }),
      of(2, { verdict: 'interrupted', counts: 'ignored', usage }),
      of(4, { run: 'r0' }),
      aLine(),
      aReset(),
    ];
    expect(spentBy(ledger, 'r1')).toEqual({ costUsd: 3, tokens: 8642 });
    expect(spentBy([], 'r1')).toEqual(NOTHING);
  });

  it('does not lose a budget to binary fractions', () => {
    const tenths = Array.from({ length: 8 }, () => of(0.1));
    expect(spentBy(tenths, 'r1').costUsd).toBe(0.8);
  });
});

it('storyCost adds up all runs since the story was last reset', () => {
  const ledger = [of(9), aReset(), of(1, { run: 'r0' }), of(2, { story: 'B' }), aReset('B'), of(4)];
  expect(storyCost(ledger, 'A')).toBe(5);
  expect(storyCost(ledger, 'B')).toBe(0);
});

it('runOverrun calls a budget spent when nothing is left of it: first cost, then tokens, then time', () => {
  const spent = { costUsd: 5, tokens: 100 };
  const all = { maxCost: 5, maxTokens: 100, maxDurationMs: 1000 };
  const over = (limits: Partial<typeof NONE>, aliveMs = 1000) =>
    runOverrun({ spent, aliveMs, limits: { ...NONE, ...limits } });
  expect(over(all)).toEqual({ budget: 'cost', spent: 5, limit: 5 });
  expect(over({ ...all, maxCost: 5.01 })).toEqual({ budget: 'tokens', spent: 100, limit: 100 });
  expect(over({ ...all, maxCost: null, maxTokens: 101 })).toEqual({ budget: 'duration', spent: 1000, limit: 1000 });
  expect(over({ maxCost: 5.01, maxTokens: 101, maxDurationMs: 1001 })).toBeNull();
  expect(over({})).toBeNull();
});

describe('remainingUsd', () => {
  const remaining = (maxCost: number | null, storyMaxCost: number | null, shared: Shared | null = null) =>
    remainingUsd({
      ledger: [of(1, { run: 'r0' }), of(1), of(1, { story: 'B' })],
      run: 'r1',
      story: 'A',
      limits: { maxCost, storyMaxCost },
      shared,
    });
  const left = (...budgets: Parameters<typeof remaining>) => remaining(...budgets)?.usd ?? null;

  it('is the least of what run and story have left, and never negative', () => {
    expect(left(null, null)).toBeNull();
    expect(left(5, null)).toBe(3);
    expect(left(null, 2.5)).toBe(0.5);
    expect(left(5, 2.5)).toBe(0.5);
    expect(left(2.25, 100)).toBe(0.25);
    expect(left(1, 100)).toBe(0);
  });

  it('says whose budget it is, and counts what is shared with others', () => {
    const shared = { left: { costUsd: 1, tokens: null }, used: { costUsd: 0.25, tokens: 0 } };
    expect(remaining(5, 2.5)).toEqual({ budget: 'story-cost', usd: 0.5 });
    expect(remaining(5, null, shared)).toEqual({ budget: 'cost', usd: 0.75, shared: true });
    expect(remaining(2.5, null, shared)).toEqual({ budget: 'cost', usd: 0.5 });
    expect(remaining(null, null, { ...shared, left: { costUsd: null, tokens: 5 } })).toBeNull();
  });
});

describe('sharedOverrun', () => {
  const over = (costUsd: number | null, tokens: number | null, used = NOTHING) =>
    sharedOverrun({ left: { costUsd, tokens }, used });

  it('is there as soon as nothing is left of one of them', () => {
    expect(sharedOverrun(null)).toBeNull();
    expect(over(null, null, { costUsd: 9, tokens: 9 })).toBeNull();
    expect(over(0, 5)).toEqual({ budget: 'cost', spent: 0, limit: 0, shared: true });
    expect(over(1, 5, { costUsd: 0.5, tokens: 5 })).toEqual({ budget: 'tokens', spent: 5, limit: 5, shared: true });
    expect(over(-1, null)).toMatchObject({ budget: 'cost', shared: true });
  });

  it('counts what a process at work has used', () => {
    const shared = { left: { costUsd: 1, tokens: null }, used: { costUsd: 0.25, tokens: 0 } };
    const input = { ledger: [], run: 'r1', story: 'A', limits: NONE, aliveMs: 0, shared };
    expect(liveOverrun({ ...input, live: { costUsd: 0.5, tokens: 0 } })).toBeNull();
    expect(liveOverrun({ ...input, live: { costUsd: 0.75, tokens: 0 } })).toMatchObject({ spent: 1, shared: true });
  });
});

it('liveOverrun adds what the process at work has used, for the run and then for the story', () => {
  const over = (limits: Partial<typeof NONE>, live = NOTHING) =>
    liveOverrun({
      ledger: [of(3), of(1, { run: 'r0' })],
      run: 'r1',
      story: 'A',
      limits: { ...NONE, ...limits },
      live,
      aliveMs: 9,
    });
  expect(over({ maxCost: 4, storyMaxCost: 5 })).toBeNull();
  const live = { costUsd: 1, tokens: 10 };
  expect(over({ maxCost: 4, storyMaxCost: 5 }, live)).toEqual({ budget: 'cost', spent: 4, limit: 4 });
  expect(over({ storyMaxCost: 5 }, live)).toEqual({ budget: 'story-cost', spent: 5, limit: 5 });
  expect(over({ maxTokens: 10 }, live)).toEqual({ budget: 'tokens', spent: 10, limit: 10 });
  expect(over({ maxDurationMs: 9 })).toEqual({ budget: 'duration', spent: 9, limit: 9 });
});

/** Accounts that are kept in cents while the ledger is read, and cleared when a story is reset. */
function model(ledger: readonly LedgerLine[]) {
  const runs = new Map<string, { cents: number; tokens: number }>();
  const stories = new Map<string, number>();
  for (const line of ledger) {
    if (line.kind === 'reset') stories.delete(line.story);
    if (line.kind !== 'iteration') continue;
    const cents = Math.round((line.costUsd ?? 0) * 100);
    const account = runs.get(line.run) ?? { cents: 0, tokens: 0 };
    for (const count of Object.values(line.usage)) account.tokens += count;
    account.cents += cents;
    runs.set(line.run, account);
    stories.set(line.story, (stories.get(line.story) ?? 0) + cents);
  }
  return { run: (id: string) => runs.get(id) ?? { cents: 0, tokens: 0 }, story: (id: string) => stories.get(id) ?? 0 };
}

describe('budgets, against a simple model', () => {
  it('are what accounts in cents say', () => {
    fc.assert(
      fc.property(anyLedger, (ledger) => {
        const accounts = model(ledger);
        for (const run of ['r1', 'r2']) {
          const { costUsd, tokens } = spentBy(ledger, run);
          expect([costUsd * 100, tokens]).toEqual([
            expect.closeTo(accounts.run(run).cents, 6),
            accounts.run(run).tokens,
          ]);
        }
        for (const story of ['A', 'B', 'C']) {
          expect(storyCost(ledger, story) * 100).toBeCloseTo(accounts.story(story), 6);
        }
      }),
    );
  });

  it('are spent exactly when nothing remains', () => {
    const dollars = fc.option(
      fc.integer({ min: 1, max: 2000 }).map((cents) => cents / 100),
      { nil: null },
    );
    fc.assert(
      fc.property(anyLedger, dollars, dollars, dollars, (ledger, maxCost, storyMaxCost, costUsd) => {
        const limits = { ...NONE, maxCost, storyMaxCost };
        const shared = { left: { costUsd, tokens: null }, used: spentBy(ledger, 'r2') };
        const input = { ledger, run: 'r1', story: 'A', limits, shared };
        const over = liveOverrun({ ...input, live: NOTHING, aliveMs: 0 });
        expect(over !== null).toBe(remainingUsd(input)?.usd === 0);
      }),
    );
  });

  it('do not matter whether an iteration is still at work or stands in the ledger', () => {
    fc.assert(
      fc.property(
        anyLedger,
        fc.integer({ min: 1, max: 300 }),
        fc.integer({ min: 1, max: 2000 }),
        (ledger, cents, limit) => {
          const limits = { ...NONE, maxCost: limit / 100, maxTokens: limit, storyMaxCost: limit / 200 };
          const shared = { run: 'r1', story: 'A', limits, aliveMs: 0 };
          const usage = { ...NO_USAGE, outputTokens: cents };
          const live = { costUsd: cents / 100, tokens: cents };
          expect(liveOverrun({ ...shared, ledger, live })).toEqual(
            liveOverrun({ ...shared, ledger: [...ledger, of(cents / 100, { usage })], live: NOTHING }),
          );
        },
      ),
    );
  });
});

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
function rateModel(ledger: readonly LedgerLine[], now: number, limit: number): { used: number; freeAt: number | null } {
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
        expect(rateOf({ ledger, now, limit })).toEqual({ limit, ...rateModel(ledger, now, limit) });
      }),
      { numRuns: runs(500) },
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

test('a turn used what its lines say, whatever became of them', () => {
  const usage = { ...NO_USAGE, inputTokens: 3, outputTokens: 4 };
  const lines = [
    aLine({ costUsd: 0.5, usage, calls: [10, 20], run: 'r0' }),
    aReset(),
    aLine({ costUsd: null, usage, calls: [30], verdict: 'interrupted', counts: 'ignored' }),
  ];
  expect(turnUse(lines)).toEqual({ costUsd: 0.5, tokens: 14, calls: [10, 20, 30] });
  expect(turnUse([])).toEqual({ costUsd: 0, tokens: 0, calls: [] });
});

test('starts of the last hour count, whichever run made them', () => {
  const now = Date.UTC(2026, 0, 1, 10);
  const ledger = [
    aLine({ run: 'before', calls: [now - 3_600_001, now - 5_000] }),
    aLine({ run: 'this-one-until-its-cut', calls: [now - 2_000] }),
  ];
  expect(recentCalls(ledger, now)).toEqual([now - 5_000, now - 2_000]);
});
