import { expect, test } from 'vitest';
import type { EventBody, RalphEvent } from '../../contracts/events.ts';
import { foldRun } from './fold.ts';

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
