import { expect, test } from 'vitest';
import { type EventBody, NO_USAGE, type RalphEvent } from '../../contracts/index.ts';
import { foldRun } from './fold.ts';
import { timeSpent } from './stats.ts';

const at = (iteration: number, body: EventBody): RalphEvent => ({
  ts: '2026-01-01T00:00:00.000Z',
  run: 'r',
  iteration,
  ...body,
});

test('an iteration that only asked a question shows that its story was set aside', () => {
  const fold = foldRun('r');
  const select = { type: 'select', mode: 'implement', story: 'A', title: 'A', attempt: 1, reviewCount: 0 } as const;
  const reason = 'question Q1: cents?';
  fold.see(at(1, select), 1);
  fold.see(at(1, { type: 'story', story: 'A', from: 'open', to: 'blocked', reason }), 2);
  fold.see(at(2, { ...select, story: 'B' }), 3);
  fold.see(at(2, { type: 'story', story: 'B', from: 'open', to: 'needs_review', reason: '' }), 4);
  expect(fold.view().iterations.map(({ blocked }) => blocked)).toEqual([reason, null]);
});

test('a check that an agent waited for is time of checks alone, and one that was known is none', () => {
  const fold = foldRun('r');
  const select = { type: 'select', mode: 'implement', story: 'A', title: 'A', attempt: 1, reviewCount: 0 } as const;
  const result = { command: 'npm test', ok: true, exitCode: 0, timedOut: false, durationMs: 3_000, tail: '' };
  const check = (more: object) => ({ type: 'check', result: { ...result, ...more }, baselineRed: false }) as const;
  const ended = { exitCode: 0, signal: null, ok: true, error: null, stopped: null, turns: 1, usage: NO_USAGE } as const;
  fold.see(at(1, select), 1);
  fold.see(at(1, { type: 'agent-start', agent: 'claude', model: 'opus', pid: 12, try: 1 }), 2);
  fold.see(at(1, check({})), 3);
  fold.see(at(1, { type: 'agent-end', durationMs: 10_000, costUsd: null, ...ended }), 4);
  fold.see(at(1, check({ known: true })), 5);
  expect(fold.view().iterations).toMatchObject([{ agentMs: 7_000, checkMs: 3_000, checks: { ok: 2 } }]);
  expect(timeSpent([fold.view()])).toMatchObject({ agentMs: 7_000, checkMs: 3_000 });
});
