import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../../test/support/property-runs.ts';
import type { AgentErrorKind, LedgerIteration, LedgerLine } from '../../contracts/index.ts';
import { anyLedger } from './any-ledger.fixture.ts';
import type { GateInput, Routing } from './api.ts';
import { aLine } from './ledger.fixture.ts';
import { routeAgent } from './routing.ts';

const MINUTE = 60_000;
const NOW = 10_000 * MINUTE;

type Input = Parameters<typeof routeAgent>[0];
const route = (ledger: readonly LedgerLine[], input: Partial<Input> = {}) =>
  routeAgent({
    ledger,
    run: 'r1',
    now: NOW,
    agents: ['one', 'two'],
    onUsageLimit: null,
    maxWaitMs: 360 * MINUTE,
    ...input,
  });

/** An iteration that ended now and was refused; `resetsAt` in milliseconds from now. */
const limited = (resetsAt: number | null, fields: Partial<LedgerIteration> = {}) =>
  aLine({
    verdict: 'limited',
    counts: 'ignored',
    agent: 'one',
    startedAt: NOW - 1000,
    error: { kind: 'limit', message: 'no more' },
    limit: { status: 'rejected', kind: 'five_hour', resetsAt: resetsAt === null ? null : NOW + resetsAt },
    ...fields,
  });
const out = (agent: string, kind: AgentErrorKind = 'auth', run = 'r1') =>
  limited(null, { agent, run, limit: null, error: { kind, message: `${agent} is not logged in` } });
const worked = (agent = 'one', fields: Partial<LedgerIteration> = {}) => aLine({ agent, ...fields });

describe('an agent at its provider’s limit', () => {
  it('is waited for exactly until the time the provider named, when it is the only one', () => {
    expect(route([], { agents: ['one'] })).toEqual({ kind: 'use', agent: 'one', reason: '' });
    const wait = route([limited(20_000)], { agents: ['one'] });
    expect(wait).toEqual({
      kind: 'wait',
      agent: 'one',
      until: NOW + 20_000,
      reason: 'one has reached its 5-hour usage limit',
    });
    expect(route([limited(20_000)], { agents: ['one'], now: NOW + 20_000 }).kind).toBe('use');
  });

  it('stays so over a restart: the run does not matter', () => {
    expect(route([limited(20_000, { run: 'r0' })], { agents: ['one'] }).kind).toBe('wait');
  });

  it('is passed over at once where another one can go on, and comes back when it is free', () => {
    expect(route([limited(20_000)])).toEqual({
      kind: 'use',
      agent: 'two',
      reason: 'one has reached its 5-hour usage limit',
    });
    expect(route([limited(20_000), worked('two')], { now: NOW + 20_000 })).toMatchObject({ agent: 'one', reason: '' });
  });

  it('is waited for with others in the list, or ends the run, when the user wants that', () => {
    expect(route([limited(20_000)], { onUsageLimit: 'wait' })).toMatchObject({ kind: 'wait', agent: 'one' });
    expect(route([limited(20_000)], { onUsageLimit: 'stop' })).toMatchObject({ kind: 'end', cause: 'limit' });
    expect(route([limited(20_000)], { agents: ['one'], onUsageLimit: 'fallback' }).kind).toBe('wait');
  });

  it('is waited for when all are, the one that is free first', () => {
    const both = [limited(90_000), limited(30_000, { agent: 'two' })];
    expect(route(both)).toMatchObject({ kind: 'wait', agent: 'two', until: NOW + 30_000 });
    expect(route([limited(30_000), limited(30_000, { agent: 'two' })])).toMatchObject({ agent: 'one' });
  });

  it('is free again once an iteration of its own went on; an interruption says nothing', () => {
    expect(route([limited(20_000), worked('one', { verdict: 'rejected', counts: 'bad' })])).toMatchObject({
      agent: 'one',
    });
    expect(route([limited(20_000), worked('one', { verdict: 'interrupted', counts: 'ignored' })])).toMatchObject({
      agent: 'two',
    });
    expect(route([limited(20_000), worked('two')])).toMatchObject({ agent: 'two' });
  });
});

describe('a provider that does not say when', () => {
  const until = (ledger: readonly LedgerLine[]) => {
    const routing = route(ledger, { agents: ['one'] });
    return routing.kind === 'wait' ? (routing.until - NOW) / MINUTE : routing.kind;
  };

  it('is tried after one minute, then two, four, and at last every thirty', () => {
    const waits = [1, 2, 3, 4, 5, 6, 7].map((times) => until(Array.from({ length: times }, () => limited(null))));
    expect(waits).toEqual([1, 2, 4, 8, 16, 30, 30]);
  });

  it('starts at one minute again after it had worked', () => {
    expect(until([limited(null), limited(null), worked(), limited(null)])).toBe(1);
  });

  it('is no provider’s event: the kind of the error is enough', () => {
    expect(until([limited(null, { limit: null })])).toBe(1);
    expect(until([limited(null, { limit: null, error: null })])).toBe(1);
  });

  it('is not believed when it names the past, or what was waited for already', () => {
    expect(until([limited(-5000)])).toBe('use');
    expect(until([limited(-5000), limited(-5000)])).toBe(1);
    expect(until([limited(-5000), limited(-4000), limited(-3000)])).toBe(2);
    const same = limited(10_000);
    expect(until([same, same])).toBe(1);
    expect(until([same, limited(20_000)])).toBe(20 / 60);
  });

  it('is believed again when it names a new time', () => {
    expect(until([limited(null), limited(null), limited(MINUTE * 300)])).toBe(300);
    expect(until([limited(null), limited(MINUTE * 300), limited(null)])).toBe(1);
  });

  it('takes a warning for no limit of its own', () => {
    const warned = limited(null, { limit: { status: 'warning', kind: 'seven_day', resetsAt: NOW + 9_999 * MINUTE } });
    expect(until([warned])).toBe(1);
  });
});

describe('an agent that cannot be used', () => {
  it.each(['auth', 'model', 'unavailable'] as const)('is out for the rest of the run: %s', (kind) => {
    expect(route([out('one', kind)])).toEqual({ kind: 'use', agent: 'two', reason: 'one: one is not logged in' });
    expect(route([out('one', kind)], { onUsageLimit: 'wait' })).toMatchObject({ kind: 'use', agent: 'two' });
    expect(route([out('one', kind)], { run: 'r2' })).toMatchObject({ kind: 'use', agent: 'one' });
  });

  it('ends the run with every word of theirs when all are out', () => {
    expect(route([out('one'), out('two')])).toEqual({
      kind: 'end',
      cause: 'unavailable',
      reason: 'one: one is not logged in; two: two is not logged in',
    });
  });

  it('leaves the others their limits', () => {
    expect(route([out('one'), limited(20_000, { agent: 'two' })])).toMatchObject({ kind: 'wait', agent: 'two' });
    expect(route([out('one'), limited(20_000, { agent: 'two' })], { onUsageLimit: 'stop' })).toMatchObject({
      cause: 'limit',
    });
  });
});

describe('a provider that cannot be reached', () => {
  const cut = (fields: Partial<LedgerIteration> = {}) =>
    limited(null, { limit: null, error: { kind: 'network', message: 'connection\nrefused' }, ...fields });
  const alone = { agents: ['one'] };
  const times = (count: number, line: LedgerIteration) => Array.from({ length: count }, () => line);

  it('is waited for as one that is overloaded, in words that name the cause', () => {
    expect(route([cut()], alone)).toEqual({
      kind: 'wait',
      agent: 'one',
      until: NOW + MINUTE,
      reason: 'one cannot reach its provider: connection refused',
    });
    expect(route([cut(), cut(), cut()], alone)).toMatchObject({ until: NOW + 4 * MINUTE });
  });

  it('is waited for even by those who stop at limits, and passed over where another agent can go on', () => {
    expect(route([cut()], { ...alone, onUsageLimit: 'stop' })).toMatchObject({ kind: 'wait' });
    expect(route([cut()])).toMatchObject({ kind: 'use', agent: 'two' });
  });

  it('is tried at once by a new run', () => {
    expect(route([cut({ run: 'r0' })], alone)).toMatchObject({ kind: 'use' });
  });

  // 1 + 2 + 4 + 8 + 16 + 30 × 10 = 331, and 29 more make six hours.
  it('is waited for as long as it may be in all, and no longer', () => {
    expect(route(times(16, cut()), alone)).toMatchObject({ kind: 'wait', until: NOW + 29 * MINUTE });
    expect(route(times(17, cut()), alone)).toMatchObject({
      kind: 'end',
      cause: 'unreachable',
      reason: expect.stringContaining('connection refused'),
    });
    expect(route([...times(17, cut()), worked(), cut()], alone)).toMatchObject({ kind: 'wait', until: NOW + MINUTE });
  });

  it('is waited for in shorter steps where all may be short', () => {
    const short = { ...alone, maxWaitMs: 6 * MINUTE };
    expect(route([cut()], short)).toMatchObject({ until: NOW + 1000 });
    expect(route(times(9, cut()), short)).toMatchObject({ until: NOW + 30_000 });
  });
});

describe('waiting for a limit that names no time', () => {
  const alone = { agents: ['one'] };

  it('is bounded as well, and the limit ends the run', () => {
    expect(
      route(
        Array.from({ length: 16 }, () => limited(null)),
        alone,
      ),
    ).toMatchObject({ kind: 'wait' });
    expect(
      route(
        Array.from({ length: 17 }, () => limited(null)),
        alone,
      ),
    ).toMatchObject({ kind: 'end', cause: 'waited' });
  });

  it('does not count what an earlier run waited', () => {
    const before = Array.from({ length: 17 }, () => limited(null, { run: 'r0' }));
    expect(route(before, alone)).toMatchObject({ kind: 'wait', until: NOW + 30 * MINUTE });
  });

  it('is no way round the bound to name a time that is always a moment ahead', () => {
    const ledger: LedgerIteration[] = [];
    let now = NOW;
    for (let i = 0; i < 1000; i += 1) {
      const routing = route(ledger, { ...alone, now });
      if (routing.kind === 'end') break;
      if (routing.kind === 'wait') now = routing.until;
      else
        ledger.push(
          limited(0, { startedAt: now, durationMs: 1, limit: { status: 'rejected', kind: 'x', resetsAt: now + 5 } }),
        );
    }
    expect(route(ledger, { ...alone, now })).toMatchObject({ kind: 'end', cause: 'waited' });
    expect(ledger.length).toBeLessThanOrEqual(362);
  });

  it('believes a time that is really named, however long it waited before', () => {
    const ledger = [...Array.from({ length: 17 }, () => limited(null)), limited(MINUTE * 300)];
    expect(route(ledger, alone)).toMatchObject({ kind: 'wait', until: NOW + 300 * MINUTE });
  });
});

type Answer = Pick<Routing, 'kind'> & { readonly agent?: string; readonly until?: number };

/** The rules said once more: per agent everything is looked up from the end of its lines backwards. */
function model(ledger: readonly LedgerLine[], { run, now, agents, onUsageLimit }: Omit<Input, 'ledger'>): Answer {
  const told = agents.map((agent) => {
    const own = ledger.flatMap((line) =>
      line.kind === 'iteration' && line.agent === agent && line.verdict !== 'interrupted' ? [line] : [],
    );
    const lasting = (line: LedgerIteration) => ['auth', 'model', 'unavailable'].includes(line.error?.kind ?? '');
    const isOut = own.some((line) => line.verdict === 'limited' && lasting(line) && line.run === run);
    const refusals: LedgerIteration[] = [];
    while (own.at(-1)?.verdict === 'limited') refusals.unshift(...own.splice(-1));
    const isOld = (line: LedgerIteration) => line.error?.kind === 'network' && line.run !== run;
    const counted = refusals.filter((line) => !lasting(line) && !isOld(line));
    return { agent, isOut, isLimit: counted.at(-1)?.error?.kind !== 'network', until: waitAfter(counted) };
  });
  const usable = told.filter(({ isOut }) => !isOut);
  if (usable.length === 0) return { kind: 'end' };
  const mayFallBack = onUsageLimit === 'fallback' || (onUsageLimit === null && agents.length > 1);
  const candidates = mayFallBack ? usable : usable.slice(0, 1);
  for (const { agent, until } of candidates) if (until <= now) return { kind: 'use', agent };
  if (onUsageLimit === 'stop' && usable[0]!.isLimit) return { kind: 'end' };
  const [best] = [...candidates].sort((one, other) => one.until - other.until);
  return { kind: 'wait', agent: best!.agent, until: best!.until };
}

function waitAfter(refusals: readonly LedgerIteration[]): number {
  const last = refusals.at(-1);
  if (!last) return 0;
  const named = (index: number) => refusals[index]?.limit?.resetsAt ?? null;
  const endOf = (index: number) => refusals[index]!.startedAt + refusals[index]!.durationMs;
  const helps = (index: number) =>
    named(index) !== null && (index === 0 || (named(index)! > endOf(index) && named(index) !== named(index - 1)));
  let useless = 0;
  for (let index = refusals.length - 1; index >= 0 && !helps(index); index -= 1) useless += 1;
  const reset = last.limit?.resetsAt ?? 0;
  if (useless === 0) return reset;
  const minutes = [1, 2, 4, 8, 16][useless - 1] ?? 30;
  return Math.max(reset, endOf(refusals.length - 1) + minutes * MINUTE);
}

describe('routeAgent, against a simple model', () => {
  const policies = fc.constantFrom<GateInput['onUsageLimit']>(null, 'wait', 'fallback', 'stop');
  const lists = fc.constantFrom(['one'], ['one', 'two'], ['two', 'one'], ['three', 'one']);
  const inputs = fc.record({
    run: fc.constantFrom('r1', 'r2'),
    now: fc.integer({ min: 1_000_000_000, max: 1_000_000_000 + 300 * MINUTE }),
    agents: lists,
    onUsageLimit: policies,
    // The bound has tests of its own.
    maxWaitMs: fc.constant(Number.POSITIVE_INFINITY),
  });
  const refusals = anyLedger.map((ledger) =>
    ledger.filter((line, index) => line.kind === 'iteration' && (line.verdict === 'limited' || index % 5 === 0)),
  );

  it('agrees with it on every ledger', () => {
    fc.assert(
      fc.property(fc.oneof(anyLedger, refusals), inputs, (ledger, input) => {
        const { reason: _, ...routing } = { ...routeAgent({ ledger, ...input }) } as Answer & {
          reason: string;
          cause?: string;
        };
        delete routing.cause;
        expect(routing).toEqual(model(ledger, input));
      }),
      { numRuns: runs(1000) },
    );
  });

  it('never waits for what is over, and always for a moment that comes', () => {
    fc.assert(
      fc.property(refusals, inputs, (ledger, input) => {
        const routing = routeAgent({ ledger, ...input });
        if (routing.kind !== 'wait') return;
        expect(routing.until).toBeGreaterThan(input.now);
        expect(routeAgent({ ledger, ...input, now: routing.until })).toMatchObject({
          kind: 'use',
          agent: routing.agent,
        });
      }),
    );
  });

  it('tries a provider that always refuses without news only a few times in an hour', () => {
    fc.assert(
      fc.property(fc.option(fc.integer({ min: -MINUTE, max: 0 }), { nil: null }), (resetsAt) => {
        const ledger: LedgerIteration[] = [];
        let now = NOW;
        while (now < NOW + 60 * MINUTE) {
          const routing = routeAgent({
            ledger,
            run: 'r1',
            now,
            agents: ['one'],
            onUsageLimit: null,
            maxWaitMs: 360 * MINUTE,
          });
          if (routing.kind === 'use') ledger.push(limited(resetsAt, { startedAt: now, durationMs: 100 }));
          now = routing.kind === 'wait' ? routing.until : now + 100;
        }
        expect(ledger.length).toBeLessThanOrEqual(9);
      }),
    );
  });
});
