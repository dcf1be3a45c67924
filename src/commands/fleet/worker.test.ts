import { describe, expect, it } from 'vitest';
import { isBusy } from './worker.ts';

describe('isBusy', () => {
  it.each([
    ['ready', null, true],
    ['working', null, true],
    ['later', 1, true],
    ['later', null, false],
    ['done', null, false],
    ['cancelled', null, false],
    ['failed', null, false],
  ] as const)('of a stream that is %s until %s: %s', (state, until, busy) => {
    expect(isBusy({ state, until })).toBe(busy);
  });
});
