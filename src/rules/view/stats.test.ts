import { expect, test } from 'vitest';
import { type LedgerIteration, NO_USAGE } from '../../contracts/index.ts';
import { foldRun } from './fold.ts';
import type { RunView } from './model.ts';
import { statsOf } from './stats.ts';

function line(iteration: number, parts: Partial<LedgerIteration>): LedgerIteration {
  return {
    version: 1,
    kind: 'iteration',
    run: 'r1',
    iteration,
    story: 'US-001',
    mode: 'implement',
    verdict: 'accepted',
    counts: 'good',
    stateChanged: true,
    state: 'needs_review',
    blocked: null,
    reason: 'done',
    error: null,
    startedAt: 0,
    durationMs: 10_000,
    costUsd: 0.5,
    usage: { ...NO_USAGE, inputTokens: 100, cacheReadTokens: 300 },
    agent: 'claude',
    model: null,
    commit: null,
    subject: null,
    workFiles: 1,
    rescue: null,
    checks: [],
    violations: [],
    failure: null,
    ...parts,
  };
}

const check = { command: 'npm test', ok: false, exitCode: 1, durationMs: 1 };
const ledger = [
  line(1, { verdict: 'rejected', stateChanged: false, state: null, checks: [check], rescue: 'refs/x' }),
  line(2, { durationMs: 20_000, costUsd: null }),
  line(3, { mode: 'review', state: 'approved' }),
  line(4, { story: 'US-002' }),
  line(5, { story: 'US-002', mode: 'review', state: 'changes_requested' }),
  line(6, { story: 'US-002', mode: 'review', state: 'approved' }),
  { version: 1, kind: 'circuit-reset', at: 0 } as const,
];

test('iterations by verdict and mode, with their mean time and cost', () => {
  const { iterations, verdicts, modes } = statsOf(ledger, []);
  expect(iterations).toBe(6);
  expect(verdicts).toEqual({ accepted: 5, rejected: 1 });
  expect(modes.map(({ mode, iterations: count }) => [mode, count])).toEqual([
    ['implement', 3],
    ['review', 3],
  ]);
  expect(modes[0]?.meanMs).toBeCloseTo(40_000 / 3);
  expect(modes[0]?.meanCostUsd).toBe(0.5);
});

test('what the loop added to a context is a mean without the story, where a log says it', () => {
  const row = (tools: number) => ({ mode: 'implement', added: { story: 9, prompt: 2, tools, hooks: 4 } });
  const view = {
    ...foldRun('r1').view(),
    iterations: [row(3), row(5), { ...row(0), added: null }],
  } as unknown as RunView;
  expect(statsOf(ledger, [view]).modes.map(({ mode, meanAdded }) => [mode, meanAdded])).toEqual([
    ['implement', 10],
    ['review', null],
  ]);
});

test('reviews, rejections, cost and cache', () => {
  const stats = statsOf(ledger, []);
  expect(stats.reviews).toEqual({
    stories: 2,
    approvedAtFirst: 1,
    perStory: 1.5,
    distribution: [
      { reviews: 1, stories: 1 },
      { reviews: 2, stories: 1 },
    ],
    capHits: 0,
  });
  expect(stats.rejections).toEqual([{ cause: 'check failed: npm test', count: 1 }]);
  expect(stats.rollbacks).toBe(1);
  expect(stats.storiesDone).toBe(2);
  expect(stats.costPerDoneStory).toBe(1.25);
  expect(stats.cacheShare).toBe(0.75);
});

test('what each story took, the most expensive first', () => {
  expect(statsOf(ledger, []).stories).toEqual([
    { story: 'US-002', iterations: 3, reviews: 2, rejected: 0, durationMs: 30_000, costUsd: 1.5 },
    { story: 'US-001', iterations: 3, reviews: 1, rejected: 1, durationMs: 40_000, costUsd: 1 },
  ]);
});

test('the review cap decides once for a story, whether it approves or blocks', () => {
  const blocked = line(7, { mode: 'review', story: 'US-003', state: 'blocked', blocked: 'review cap of 2 reached' });
  const { capHits } = statsOf(
    [blocked, blocked],
    [],
    [
      { story: 'US-001', by: 'cap' },
      { story: 'US-002', by: 'review' },
    ],
  ).reviews;
  expect(capHits).toBe(2);
});

test('an empty workspace has no means to divide', () => {
  const { modes, reviews, cacheShare, costPerDoneStory } = statsOf([], []);
  expect({ modes, reviews, cacheShare, costPerDoneStory }).toEqual({
    modes: [],
    reviews: { stories: 0, approvedAtFirst: 0, perStory: null, distribution: [], capHits: 0 },
    cacheShare: null,
    costPerDoneStory: null,
  });
});
