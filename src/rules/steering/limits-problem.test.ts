import { expect, test } from 'vitest';
import { limitsProblem } from './steering.ts';

test('limits that a run could have started with are none', () => {
  expect(limitsProblem({ maxIterations: 3, maxCost: 0.5, maxDurationMs: 60_000, storyMaxCost: null })).toBeNull();
});

test.each([
  [{}, 'no limit is given'],
  [{ maxIterations: undefined }, 'no limit is given'],
  [{ maxIterations: 0 }, 'maxIterations takes a whole number above 0'],
  [{ maxIterations: 1.5 }, 'maxIterations takes a whole number above 0'],
  [{ maxIterations: null }, 'maxIterations takes a whole number above 0'],
  [{ maxCost: Number.NaN }, 'maxCost takes an amount above 0'],
  [{ maxCost: '5' }, 'maxCost takes an amount above 0'],
  [{ calls: Number.POSITIVE_INFINITY }, 'calls takes a whole number above 0'],
  [{ constructor: 3 }, "there is no limit 'constructor'"],
])('%j cannot be set', (limits, problem) => {
  expect(limitsProblem(limits)).toBe(problem);
});
