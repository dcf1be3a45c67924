import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { followSignals } from './clock.ts';

test('either of two aborts, with its reason', () => {
  const one = new AbortController();
  const { signal } = followSignals(new AbortController().signal, one.signal);
  one.abort('why');
  expect([signal.reason, followSignals(one.signal, new AbortController().signal).signal.reason]).toEqual([
    'why',
    'why',
  ]);
});

test('nothing stays with a signal that lives on', () => {
  const [one, other] = [new AbortController(), new AbortController()];
  followSignals(one.signal, other.signal).forget();
  expect([one, other].map(({ signal }) => getEventListeners(signal, 'abort'))).toEqual([[], []]);
});
