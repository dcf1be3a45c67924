import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import type { LedgerIteration, LedgerLine, Verdict } from '../../contracts/index.ts';
import type { GateInput } from './api.ts';
import { attemptsOf } from './attempts.ts';
import { gate, livedMs } from './gate.ts';
import { aBadLine, aLine } from './ledger.fixture.ts';

const MINUTE = 60_000;
const NOW = 10_000 * MINUTE;

/** As configured when nobody says anything else. */
const DEFAULTS = {
  limits: {
    maxIterations: 15,
    calls: 100,
    maxCost: null,
    maxTokens: null,
    maxDurationMs: null,
    storyMaxCost: null,
    storyMaxAttempts: 3,
  },
  circuit: { noProgress: 3, sameError: 5, outputDecline: 70, cooldownMs: null },
  onUsageLimit: null,
  maxWaitMs: 21_600_000,
} as const;

const ask = (input: Partial<GateInput> = {}) =>
  gate({
    ...DEFAULTS,
    ledger: [],
    run: 'r1',
    now: NOW,
    agents: ['one'],
    aliveMs: 0,
    paused: false,
    stopAsked: false,
    ...input,
  });

const broken = [aBadLine({ reason: 'a' }), aBadLine({ reason: 'b' }), aBadLine({ reason: 'c', startedAt: NOW - 1000 })];
const busy = [aLine({ agent: 'one', costUsd: 6, calls: Array.from({ length: 100 }, (_, n) => NOW - 2 * MINUTE + n) })];
const limited = aLine({
  verdict: 'limited',
  counts: 'ignored',
  agent: 'one',
  limit: { status: 'rejected', kind: 'five_hour', resetsAt: NOW + MINUTE },
});
const out = { ...limited, limit: null, error: { kind: 'auth' as const, message: 'not logged in' } };

describe('gate', () => {
  it('is open for the first agent when nothing speaks against it', () => {
    expect(ask()).toMatchObject({ kind: 'open', agent: 'one', reason: '', breaker: { state: 'closed' } });
    expect(ask({ ledger: broken.slice(0, 2) })).toMatchObject({ kind: 'open', breaker: { state: 'half-open' } });
    expect(ask({ ledger: [limited], agents: ['one', 'two'] })).toMatchObject({ kind: 'open', agent: 'two' });
  });

  it('ends the run when nothing is left of a budget that it shares', () => {
    const used = { costUsd: 0, tokens: 0 };
    expect(ask({ shared: { left: { costUsd: 1, tokens: 1 }, used } })).toMatchObject({ kind: 'open' });
    expect(ask({ shared: { left: { costUsd: 0, tokens: null }, used } })).toEqual({
      kind: 'end',
      reason: 'budget',
      text: 'nothing is left of the budget that the streams share; --max-cost sets it',
      overrun: { budget: 'cost', spent: 0, limit: 0, shared: true },
    });
    expect(ask({ shared: { left: { costUsd: null, tokens: 5 }, used: { ...used, tokens: 7 } } })).toMatchObject({
      reason: 'budget',
      text: '7 tokens spent, 5 tokens was left of the budget that the streams share; --max-tokens sets it',
    });
  });

  it('ends the run when a person asked for it', () => {
    expect(ask({ stopAsked: true })).toMatchObject({ kind: 'end', reason: 'stopped', overrun: null });
  });

  it('ends the run when a budget of it is spent, naming the flag and the amounts', () => {
    const { limits } = DEFAULTS;
    expect(ask({ ledger: busy, limits: { ...limits, maxCost: 5 } })).toEqual({
      kind: 'end',
      reason: 'budget',
      text: '$6.00 of the run spent, the limit is $5.00; --max-cost sets it',
      overrun: { budget: 'cost', spent: 6, limit: 5 },
    });
    expect(ask({ aliveMs: 90 * MINUTE, limits: { ...limits, maxDurationMs: 60 * MINUTE } })).toMatchObject({
      text: '1h 30m of the run spent, the limit is 1h 00m; --max-duration sets it',
    });
    const usage = { inputTokens: 900, outputTokens: 100, cacheReadTokens: 0, cacheWriteTokens: 0 };
    expect(ask({ ledger: [aLine({ usage })], limits: { ...limits, maxTokens: 1000 } })).toMatchObject({
      text: '1.0k tokens of the run spent, the limit is 1.0k tokens; --max-tokens sets it',
    });
  });

  it('ends the run when the breaker is open, with or without a new run', () => {
    expect(ask({ ledger: broken })).toMatchObject({
      kind: 'end',
      reason: 'circuit',
      text: '3 iterations in a row made no progress',
    });
    expect(ask({ ledger: broken, run: 'r2' })).toMatchObject({ reason: 'circuit' });
  });

  it('waits for the cool-down where there is one, and then lets one iteration try', () => {
    const circuit = { ...DEFAULTS.circuit, cooldownMs: MINUTE };
    expect(ask({ ledger: broken, circuit })).toMatchObject({ kind: 'wait', why: 'cooldown', until: NOW + MINUTE });
    const later = { circuit, now: NOW + MINUTE };
    expect(ask({ ledger: broken, ...later })).toMatchObject({ kind: 'open', breaker: { state: 'open' } });
    const trial = aBadLine({ startedAt: NOW + MINUTE, durationMs: 500 });
    expect(ask({ ledger: [...broken, trial], ...later })).toMatchObject({ until: NOW + 2 * MINUTE + 500 });
    expect(ask({ ledger: [...broken, aLine()], ...later })).toMatchObject({ breaker: { state: 'closed' } });
  });

  it('waits without an end while it is paused', () => {
    expect(ask({ paused: true })).toMatchObject({ kind: 'wait', why: 'pause', until: null });
  });

  it('ends the run when its iterations are used, which interrupted ones and those of other runs are not', () => {
    const used = Array.from({ length: 14 }, () => aLine());
    expect(
      ask({ ledger: [...used, limited, { ...limited, verdict: 'interrupted' }, aLine({ run: 'r0' })] }).kind,
    ).not.toBe('end');
    expect(ask({ ledger: [...used, aLine()] })).toMatchObject({ kind: 'end', reason: 'iterations' });
  });

  it('waits for the provider, or ends where nobody is left', () => {
    expect(ask({ ledger: [limited] })).toMatchObject({ kind: 'wait', why: 'limit', until: NOW + MINUTE });
    expect(ask({ ledger: [limited], onUsageLimit: 'stop' })).toMatchObject({ kind: 'end', reason: 'limit' });
    const end = ask({ ledger: [out] });
    expect(end).toMatchObject({ kind: 'end', reason: 'unavailable' });
    expect(end).toHaveProperty('text', expect.stringContaining('one: not logged in'));
  });

  it('waits when too many agents were started within the hour', () => {
    expect(ask({ ledger: busy })).toMatchObject({ kind: 'wait', why: 'rate', until: NOW + 58 * MINUTE });
    expect(ask({ ledger: busy, limits: { ...DEFAULTS.limits, calls: 101 } }).kind).toBe('open');
  });

  it('asks in a fixed order: the reason that comes first is the one that is told', () => {
    const everything: Partial<GateInput> = {
      ledger: [...busy, limited, ...broken],
      stopAsked: true,
      paused: true,
      limits: { ...DEFAULTS.limits, maxCost: 5, maxIterations: 1 },
    };
    const without: readonly Partial<GateInput>[] = [
      { stopAsked: false },
      { limits: { ...DEFAULTS.limits, maxIterations: 1 } },
      { ledger: [...busy, limited] },
      { paused: false },
      { limits: DEFAULTS.limits },
      { ledger: busy },
      { ledger: [] },
    ];
    const told = without.map((_, count) => {
      const said = ask(Object.assign({}, everything, ...without.slice(0, count)));
      return said.kind === 'wait' ? said.why : said.kind === 'end' ? said.reason : said.kind;
    });
    expect(told).toEqual(['stopped', 'budget', 'circuit', 'pause', 'iterations', 'limit', 'rate']);
  });
});

describe('it always ends', () => {
  const misfortunes = fc.record({
    verdict: fc.constantFrom<Verdict>('rejected', 'no-progress', 'timed-out', 'agent-error', 'interrupted', 'limited'),
    reason: fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 1, maxLength: 3 }),
    durationMs: fc.integer({ min: 0, max: 30_000 }),
    resetsAt: fc.option(fc.integer({ min: -MINUTE, max: 0 }), { nil: null }),
  });

  type Misfortune = typeof misfortunes extends fc.Arbitrary<infer T> ? T : never;

  /** What the loop does: gate, an iteration that goes wrong, its line; the story is blocked at its third attempt. */
  function linesUntilClosed(
    turns: readonly Misfortune[],
    agents: readonly string[],
    read: (ledger: readonly LedgerIteration[]) => readonly LedgerLine[] = (ledger) => ledger,
  ) {
    const ledger: LedgerIteration[] = [];
    let now = NOW;
    for (;;) {
      const said = ask({ ledger: read(ledger), now, agents });
      if (said.kind !== 'open') return { said, iterations: ledger.length };
      const turn = turns[ledger.length % turns.length]!;
      const story = `S${ledger.filter(({ blocked }) => blocked !== null).length}`;
      const isIgnored = turn.verdict === 'interrupted' || turn.verdict === 'limited';
      const isLast = !isIgnored && attemptsOf(ledger, story) === DEFAULTS.limits.storyMaxAttempts - 1;
      ledger.push(
        aLine({
          ...{ story, agent: said.agent, verdict: turn.verdict, reason: turn.reason, durationMs: turn.durationMs },
          counts: isIgnored ? 'ignored' : 'bad',
          startedAt: now,
          blocked: isLast ? 'spent' : null,
          limit:
            turn.resetsAt === null
              ? null
              : { status: 'rejected', kind: 'x', resetsAt: now + turn.durationMs + turn.resetsAt },
        }),
      );
      now += turn.durationMs;
    }
  }

  it('with iterations that never come to anything, soon, or waits for a moment that comes', () => {
    fc.assert(
      fc.property(
        fc.array(misfortunes, { minLength: 1, maxLength: 30 }),
        fc.constantFrom(['one'], ['one', 'two', 'three']),
        (turns, agents) => {
          const { said, iterations } = linesUntilClosed(turns, agents);
          if (said.kind === 'wait') expect(said.until).toBeGreaterThan(0);
          else expect(said.kind).toBe('end');
          expect(iterations).toBeLessThanOrEqual(DEFAULTS.limits.calls);
        },
      ),
    );
  });

  it('within six iterations when every one of them is bad, whatever the errors are', () => {
    const bad = misfortunes.filter(({ verdict }) => verdict !== 'interrupted' && verdict !== 'limited');
    fc.assert(
      fc.property(fc.array(bad, { minLength: 1, maxLength: 10 }), (turns) => {
        const { said, iterations } = linesUntilClosed(turns, ['one']);
        expect(said).toMatchObject({ kind: 'end', reason: 'circuit' });
        expect(iterations).toBeLessThanOrEqual(6);
      }),
    );
  });

  it('at the same iteration when it is stopped and started after every one', () => {
    const reread = (ledger: readonly LedgerIteration[]) => JSON.parse(JSON.stringify(ledger)) as LedgerLine[];
    fc.assert(
      fc.property(fc.array(misfortunes, { minLength: 1, maxLength: 10 }), (turns) => {
        expect(linesUntilClosed(turns, ['one', 'two'], reread)).toEqual(linesUntilClosed(turns, ['one', 'two']));
      }),
    );
  });
});

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
