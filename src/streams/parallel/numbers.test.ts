import { expect, it } from 'vitest';
import type { RunContext } from '../../loop/context.ts';
import { aLine } from '../../rules/safeguards/ledger.fixture.ts';
import { iterationNumbers } from './numbers.ts';

it('numbers iterations of lanes in the order in which they are heard of, and what the ledger has as it has it', () => {
  const told: (readonly [number, number])[] = [];
  const ledger = [
    { ...aLine({ run: 'run', iteration: 4 }), lane: { run: 'lane-run', iteration: 1 } },
    aLine({ run: 'other', iteration: 9 }),
  ];
  const numberOf = iterationNumbers({ ledger, run: 'run' } as unknown as RunContext, (...args) => told.push(args));
  expect(numberOf('lane-run', 1, 1)).toBe(4);
  expect(numberOf('lane-run', 2, 1)).toBe(5);
  expect(numberOf('other-lane', 1, 2)).toBe(6);
  expect(numberOf('lane-run', 2, 1)).toBe(5);
  expect(told).toEqual([
    [5, 1],
    [6, 2],
  ]);
});
