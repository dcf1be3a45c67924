import { expect, test } from 'vitest';
import type { EventBody, RalphEvent } from '../contracts/events.ts';
import { foldStatus, freshStatus } from './status.ts';

const at = (iteration: number, body: EventBody): RalphEvent => ({
  ts: '2026-01-01T00:00:00.000Z',
  run: 'r1',
  iteration,
  ...body,
});

const verdict: EventBody = {
  type: 'verdict',
  verdict: 'accepted',
  mode: 'review',
  story: 'US-001',
  claim: 'approved',
  reason: '',
  counts: 'good',
  attempts: 0,
};

test('the status of a run is a fold over its events', () => {
  const select: EventBody = {
    type: 'select',
    mode: 'review',
    story: 'US-001',
    title: 'One',
    attempt: 1,
    reviewCount: 0,
  };
  const during = [at(3, select), at(3, verdict)].reduce(foldStatus, freshStatus('r1', 15, 0));
  expect(during).toMatchObject({
    state: 'running',
    iteration: 3,
    mode: 'review',
    story: { id: 'US-001', title: 'One' },
    lastVerdict: 'accepted',
  });
  const story: EventBody = { type: 'story', story: 'US-001', from: 'needs_review', to: 'approved', reason: '' };
  const after = [at(3, story), at(3, { type: 'iteration-end', durationMs: 5, costUsd: 0.25 })].reduce(
    foldStatus,
    during,
  );
  expect(after).toMatchObject({ mode: null, story: null, costUsd: 0.25, stories: { done: 1, blocked: 0 } });
});

test('events that a glance does not care about change nothing', () => {
  const status = freshStatus('r1', 15, 0);
  expect(foldStatus(status, at(1, { type: 'check-start', command: 'npm test' }))).toBe(status);
});
