import { expect, it } from 'vitest';
import type { RunContext } from '../../loop/index.ts';
import { aLine } from '../../rules/safeguards/ledger.fixture.ts';
import { anyContext } from './context.fixture.ts';
import { callsFor, iterationNumbers, mayStart } from './limits.ts';

const turns = (...calls: readonly number[]) => calls.map((one) => ({ calls: one }));

it('counts turns under way as iterations and calls that are not told yet', () => {
  const one = [aLine({ run: 'run', iteration: 1 })];
  expect(mayStart(anyContext(one, { maxIterations: 3 }), turns(1, 0)).kind).toBe('open');
  expect(mayStart(anyContext(one, { maxIterations: 3 }), turns(1, 1)).kind).toBe('hold');
  expect(mayStart(anyContext([], { calls: 2 }), turns(1)).kind).toBe('open');
  expect(mayStart(anyContext([], { calls: 2 }), turns(1, 1)).kind).toBe('hold');
});

it('has a turn try again only as often as the calls that are left allow', () => {
  const { retries } = anyContext([], {}).config.transient;
  expect(callsFor(anyContext([], { calls: 80 }), turns(0))).toBe(1 + retries);
  expect(callsFor(anyContext([], { calls: 6 }), turns(3, 2, 0))).toBe(1);
  expect(mayStart(anyContext([], { calls: 6 }), turns(3, 3)).kind).toBe('hold');
});

it('ends the run for the reasons of the gate', () => {
  const one = [aLine({ run: 'run', iteration: 1 })];
  expect(mayStart(anyContext(one, { maxIterations: 1 }), [])).toMatchObject({ kind: 'end', reason: 'iterations' });
});

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
