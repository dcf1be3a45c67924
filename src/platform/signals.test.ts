import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { eitherSignal } from './signals.ts';

test.each(['one', 'other', 'before'] as const)('either of two aborts, with its reason: %s', (which) => {
  const [one, other] = [new AbortController(), new AbortController()];
  if (which === 'before') one.abort('why');
  const { signal } = eitherSignal(one.signal, other.signal);
  if (which === 'one') one.abort('why');
  if (which === 'other') other.abort('why');
  expect(signal.aborted).toBe(true);
  expect(signal.reason).toBe('why');
});

test('nothing stays with a signal that lives on', () => {
  const [one, other] = [new AbortController(), new AbortController()];
  eitherSignal(one.signal, other.signal).release();
  expect([one, other].map(({ signal }) => getEventListeners(signal, 'abort'))).toEqual([[], []]);
});
