import { describe, expect, test } from 'vitest';
import type { Backlog, Config, LedgerLine, RunRecord, SteeringEntry, Story } from '../../contracts/index.ts';
import { aLine } from '../../rules/safeguards/ledger.fixture.ts';
import { plain } from '../../surfaces/terminal/index.ts';
import { safeguardsLines, safeguardsView } from './safeguards.ts';

const now = new Date(2026, 0, 1, 10, 0, 0).getTime();

const config = {
  agent: ['claude'],
  onUsageLimit: null,
  transient: { retries: 3, delayMs: 5_000, maxWaitMs: 21_600_000 },
  maxIterations: 15,
  calls: 100,
  maxCost: 5,
  maxTokens: null,
  maxDurationMs: null,
  storyMaxCost: null,
  storyMaxAttempts: 3,
  circuit: { noProgress: 3, sameError: 5, outputDecline: 70, cooldownMs: null },
} as Partial<Config> as Config;

const record: RunRecord = {
  version: 1,
  run: 'r1',
  startedAt: now - 60_000,
  host: 'h',
  pid: 1,
  specDir: 'ralph',
  baseline: [],
  maxIterations: 15,
  ended: null,
};

const bad = (iteration: number) =>
  aLine({ iteration, counts: 'bad', verdict: 'no-progress', startedAt: now - 30_000, costUsd: 0.5 });

interface Given {
  readonly ledger?: readonly LedgerLine[];
  readonly entries?: readonly SteeringEntry[];
  readonly record?: RunRecord | null;
  readonly backlog?: Backlog | null;
  readonly live?: boolean;
}

const viewOf = (given: Given) =>
  safeguardsView({ ledger: [], entries: [], record: null, backlog: null, live: false, config, now, ...given });

const lines = (given: Given) => safeguardsLines(viewOf(given), now, plain).map(([label, text]) => `${label}: ${text}`);

test('where nothing happened there is nothing to say', () => {
  expect(lines({})).toEqual([]);
});

test('breaker, calls and budgets of the run are one line while all is well', () => {
  const ledger = [aLine({ startedAt: now - 30_000, costUsd: 1.2 })];
  expect(lines({ ledger, record, live: true })).toEqual([
    'limits: breaker closed · 1 of 100 calls in the last hour · $1.20 of $5.00',
  ]);
});

test('a breaker that is not closed says why', () => {
  const [limits, reason] = lines({ ledger: [bad(1), bad(2), bad(3)] });
  expect(limits).toMatch(/^limits: breaker open · 3 of 100 calls/);
  expect(reason).toContain('3 iterations in a row');
});

test('spent calls say when the next one may start', () => {
  const ledger = [aLine({ startedAt: now - 30 * 60_000 })];
  const view = safeguardsView({
    ...{ ledger, entries: [], record: null, backlog: null, live: false, now },
    config: { ...config, calls: 1 },
  });
  expect(safeguardsLines(view, now, plain)[0]?.[1]).toContain('1 of 1 call in the last hour (the next at 10:30:00)');
});

describe('a run that goes on', () => {
  const limits = { ...config, maxCost: 2, maxDurationMs: 120_000 };

  test('its budgets are those it was started with, as people changed them since', () => {
    const entries = [{ version: 1, id: 'a', at: 1, kind: 'limits', run: 'r1', limits: { maxCost: 9 } } as const];
    const { budgets } = viewOf({ record: { ...record, limits }, entries, live: true, ledger: [bad(1)] });
    expect(budgets).toEqual([
      { budget: 'cost', spent: 0.5, limit: 9 },
      { budget: 'duration', spent: 1000, limit: 120_000 },
    ]);
  });

  test('the time it waits counts, unless it is dead', () => {
    const waiting = { why: 'limit', since: now - 20_000, until: now + 17_000 } as const;
    const durationOf = (live: boolean) =>
      viewOf({ record: { ...record, limits, waiting, waitedMs: 3_000 }, live }).budgets.find(
        ({ budget }) => budget === 'duration',
      )?.spent;
    expect([durationOf(true), durationOf(false)]).toEqual([23_000, 3_000]);
  });

  test('a wait is counted down', () => {
    const waiting = { why: 'limit', since: now, until: now + 17_000 } as const;
    expect(lines({ record: { ...record, waiting }, live: true })[0]).toBe(
      'waits: 00:00:17 until 10:00:17 · usage limit',
    );
    expect(lines({ record: { ...record, waiting }, live: false })[0]).not.toContain('waits');
  });

  test.each([
    ['pause', { kind: 'pause', run: 'r1' }, 'pauses: before the next iteration; `ralph resume` cancels the pause'],
    ['a stop', { kind: 'stop', run: 'r1', now: false }, 'stops: before the next iteration'],
  ] as const)('%s that was asked for is shown before it takes effect', (_name, request, text) => {
    const entries = [{ version: 1, id: 'a', at: 1, ...request } as const];
    expect(lines({ record, entries, live: true })[0]).toBe(text);
    expect(lines({ record, entries, live: false })[0]).not.toBe(text);
  });
});

describe("a provider's limit", () => {
  const until = now + 3_600_000;
  const limit = { status: 'rejected', kind: 'weekly', resetsAt: until } as const;
  const limited = aLine({
    agent: 'claude',
    verdict: 'limited',
    counts: 'ignored',
    startedAt: now - 9,
    durationMs: 5,
    limit,
  });
  const ended = { ...record, ended: { reason: 'limit', at: now } } as const;

  test.each([
    ['ended', { record: ended, live: false }],
    ['was cut off', { record, live: false }],
  ])('is shown with its end after a run that %s', (_name, given) => {
    expect(lines({ ledger: [limited], ...given })[0]).toBe(
      'provider: 01:00:00 until 11:00:00 · claude has reached its provider limit (weekly)',
    );
  });

  test('is no news of a run under way, nor where another agent stands in, nor once it is over', () => {
    const limitIn = (given: Given, changed: Partial<Config> = {}, at = now) =>
      safeguardsView({
        ...{ ledger: [limited], entries: [], record: ended, backlog: null, live: false, ...given },
        ...{ config: { ...config, ...changed }, now: at },
      }).providerLimit;
    expect(limitIn({ record, live: true })).toBeNull();
    expect(limitIn({}, { agent: ['claude', 'codex'] })).toBeNull();
    expect(limitIn({}, {}, until)).toBeNull();
    expect(limitIn({})).toMatchObject({ until, waits: true });
    expect(limitIn({}, { onUsageLimit: 'stop' })).toMatchObject({ until, waits: false });
  });
});

describe('questions', () => {
  const asked = aLine({ counts: 'good', verdict: 'no-progress', blocked: 'question Q1: Net or gross?' });
  const backlog = (blocked: string | undefined) => ({ stories: [{ id: 'A', blocked } as Story] }) as unknown as Backlog;
  const open = backlog('question Q1: Net or gross?');

  test('one that waits is shown', () => {
    expect(lines({ ledger: [asked], backlog: open })).toContain('asks: Q1 on A: Net or gross?');
  });

  test('one that was answered, is about to be, or whose story was freed is not', () => {
    const answer = { question: 'Q1', text: 'net', at: 1, version: 1, kind: 'answer' } as const;
    const questions = (given: Given) => viewOf({ ledger: [asked], backlog: open, ...given }).questions;
    expect(questions({ ledger: [asked, { ...answer, story: 'A' }] })).toEqual([]);
    expect(questions({ entries: [{ ...answer, id: 'a' }] })).toEqual([]);
    expect(questions({ backlog: backlog(undefined) })).toEqual([]);
    expect(questions({ backlog: backlog('waits for a key') })).toEqual([]);
  });
});

test('notes that wait for a prompt are counted', () => {
  const note = (id: string) => ({ version: 1, id, at: 1, kind: 'note', text: 'use the new parser' }) as const;
  expect(lines({ entries: [note('a')] })).toEqual(['notes: 1 waits for the next prompt (ralph steer)']);
  expect(lines({ entries: [note('a'), note('b')] })).toEqual(['notes: 2 wait for the next prompt (ralph steer)']);
});
