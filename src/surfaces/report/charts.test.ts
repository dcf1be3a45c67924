import { expect, test } from 'vitest';
import { timeScale } from './charts.ts';

test('work without pauses fills the line in proportion', () => {
  const scale = timeScale([
    [0, 100],
    [100, 400],
  ]);
  expect([0, 100, 250, 400].map((at) => scale.at(at))).toEqual([0, 250, 625, 1000]);
  expect(scale.shortened).toBe(false);
});

test('a night between two spans takes little room, and is said to', () => {
  const scale = timeScale([
    [0, 50],
    [1_000_000, 1_000_050],
  ]);
  expect(scale.shortened).toBe(true);
  expect(scale.at(50)).toBeGreaterThan(400);
  expect(scale.at(1_000_000)).toBeLessThan(600);
  expect(scale.at(1_000_050)).toBe(1000);
});

test('spans that overlap, have no length or go backwards stay on the line', () => {
  const scale = timeScale([
    [10, 30],
    [20, 25],
    [40, 40],
    [60, 50],
  ]);
  for (const at of [0, 10, 25, 40, 60, 99]) {
    expect(scale.at(at)).toBeGreaterThanOrEqual(0);
    expect(scale.at(at)).toBeLessThanOrEqual(1000);
  }
});
