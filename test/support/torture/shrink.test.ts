import { expect, test } from 'vitest';
import type { TortureCase } from './case.ts';
import { shrink, smallerCases } from './shrink.ts';

const BIG: TortureCase = {
  version: 1,
  seed: 1,
  stories: 3,
  shapes: ['dirty', 'hooks'],
  faults: [
    { kind: 'crash', point: 'settled#8' },
    { kind: 'clock', seconds: 5, at: 3_200 },
    { kind: 'starts', count: 10 },
  ],
};

test('what fails because of one fault is shrunk to that fault, as early and as plain as it goes', async () => {
  const fails = async ({ faults }: TortureCase) => faults.some(({ kind }) => kind === 'clock');
  expect(await shrink(BIG, fails, () => true)).toEqual({
    ...BIG,
    stories: 1,
    shapes: [],
    faults: [{ kind: 'clock', seconds: 5, at: 200 }],
  });
});

test('what fails because of two faults together keeps both', async () => {
  const fails = async ({ faults, shapes }: TortureCase) =>
    shapes.includes('hooks') && ['crash', 'starts'].every((kind) => faults.some((fault) => fault.kind === kind));
  expect(await shrink(BIG, fails, () => true)).toEqual({
    ...BIG,
    stories: 1,
    shapes: ['hooks'],
    faults: [
      { kind: 'crash', point: 'settled#1' },
      { kind: 'starts', count: 2 },
    ],
  });
});

test('when time is up the smallest that failed so far is kept', async () => {
  let tries = 0;
  const fails = async () => {
    tries += 1;
    return true;
  };
  const smallest = await shrink(BIG, fails, () => tries < 1);
  expect(tries).toBe(1);
  expect(smallest.faults).toHaveLength(2);
});

test('no smaller case is empty, or the same', () => {
  for (const smaller of smallerCases(BIG)) {
    expect(smaller).not.toEqual(BIG);
    expect(smaller.faults.length + smaller.shapes.length).toBeGreaterThan(0);
  }
});
