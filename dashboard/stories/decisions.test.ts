import { expect, test } from 'vitest';
import { decisionOf, keepDecision } from './decisions.ts';

test('a decision is shown until the run tells another state of the story', () => {
  expect(decisionOf('p/r', { id: 'US-1', state: 'to do' })).toBe(null);
  keepDecision('p/r', 'US-1', { decision: 'approve', shown: 'to do' });
  expect(decisionOf('p/r', { id: 'US-1', state: 'to do' })).toEqual({ decision: 'approve', state: 'done' });
  expect(decisionOf('p/r', { id: 'US-1', state: 'done' })).toBe(null);
  expect(decisionOf('p/other', { id: 'US-1', state: 'to do' })).toBe(null);
  keepDecision('p/r', 'US-1', { decision: 'reopen', shown: 'done' });
  expect(decisionOf('p/r', { id: 'US-1', state: 'done' })).toEqual({ decision: 'reopen', state: 'to do' });
});
