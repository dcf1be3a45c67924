import { expect, test } from 'vitest';
import { priorityOf } from './priority.ts';

test.each([
  [0, 0],
  ['1', 1],
  ['P0', 0],
  ['P1 - High', 1],
  ['2 (high)', 2],
  ['🔴 Critical', 0],
  ['High Priority', 1],
  ['Must-have', 1],
  ["Won't have", 4],
  ['medium', 2],
  ['Low (P3)', 3],
  ['after login', null],
  ['3rd', null],
  [Number.NaN, null],
  [null, null],
])('%j is %j', (value, rank) => {
  expect(priorityOf(value)).toBe(rank);
});
