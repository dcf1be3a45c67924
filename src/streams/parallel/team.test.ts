import { expect, it } from 'vitest';
import type { RunContext } from '../../loop/index.ts';
import { aLine } from '../../rules/safeguards/ledger.fixture.ts';
import { iterationNumbers, oneAtATime } from './team.ts';

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

it('begins a task when the one before it has ended, also where that threw', async () => {
  const alone = oneAtATime();
  const seen: string[] = [];
  const task = (name: string) => async () => {
    seen.push(`${name} begins`);
    await new Promise((resolve) => setTimeout(resolve, 5));
    seen.push(`${name} ends`);
    if (name === 'b') throw new Error('b failed');
    return name;
  };
  const all = await Promise.allSettled([alone(task('a')), alone(task('b')), alone(task('c'))]);
  expect(seen).toEqual(['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends']);
  expect(all.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
});
