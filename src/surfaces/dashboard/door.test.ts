import { expect, test } from 'vitest';
import { openThrottle } from './door.ts';

test('a burst passes, then as many a second as allowed', () => {
  let now = 1_000_000;
  const throttle = openThrottle({ burst: 3, perSecond: 0.5 }, () => now);
  const take = () => throttle.take();
  expect([take(), take(), take(), take(), take()]).toEqual([0, 0, 0, 2, 2]);
  now += 1_000;
  expect(take()).toBe(1);
  now += 1_000;
  expect([take(), take()]).toEqual([0, 2]);
  now += 3_600_000;
  expect([take(), take(), take(), take()]).toEqual([0, 0, 0, 2]);
  now -= 7_200_000;
  expect(take()).toBe(2);
});
