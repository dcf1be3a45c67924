import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { eitherSignal } from './signals.ts';

test('either of two aborts, with its reason', () => {
  const one = new AbortController();
  const { signal } = eitherSignal(new AbortController().signal, one.signal);
  one.abort('why');
  expect([signal.reason, eitherSignal(one.signal, new AbortController().signal).signal.reason]).toEqual(['why', 'why']);
});

test('nothing stays with a signal that lives on', () => {
  const [one, other] = [new AbortController(), new AbortController()];
  eitherSignal(one.signal, other.signal).release();
  expect([one, other].map(({ signal }) => getEventListeners(signal, 'abort'))).toEqual([[], []]);
});
