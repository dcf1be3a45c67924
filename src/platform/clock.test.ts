import { expect, test } from 'vitest';
import { systemClock } from './clock.ts';

test('a sleep ends after its time', async () => {
  const start = performance.now();
  await systemClock.sleep(30);
  expect(performance.now() - start).toBeGreaterThanOrEqual(28);
});

test('an abort ends a sleep at once, also one that comes before it', async () => {
  const abort = new AbortController();
  const DAY_MS = 86_400_000;
  const sleeping = systemClock.sleep(DAY_MS, abort.signal);
  abort.abort();
  await sleeping;
  await systemClock.sleep(DAY_MS, abort.signal);
});
