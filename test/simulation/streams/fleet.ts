import * as fc from 'fast-check';
import { BASELINE, HOUR, MANY_FAULTS, MINUTE, type Scenario } from '../../support/fleet-model/scenario.ts';
import { simulate } from '../../support/fleet-model/simulate.ts';
import type { Verdict } from '../verdict.ts';

const orNone = (least: number, most: number) => fc.option(fc.integer({ min: least, max: most }), { nil: null });

/** Small fleets with many faults: the model plays the real `schedule` and what the engine for many machines does around it. */
export const fleets: fc.Arbitrary<Scenario> = fc
  .record({
    seed: fc.nat({ max: 2 ** 31 }),
    streams: fc.integer({ min: 1, max: 20 }),
    turns: fc.integer({ min: 1, max: 6 }),
    workers: fc.integer({ min: 1, max: 5 }),
    capacity: fc.integer({ min: 1, max: 4 }),
    concurrency: orNone(1, 5),
    calls: orNone(5, 45),
    grace: fc.constantFrom(30_000, 2000, 120_000),
    dies: fc.constantFrom(2 * HOUR, 20 * MINUTE),
  })
  .map(({ grace, dies, turns, ...fleet }) => ({
    ...BASELINE,
    ...fleet,
    turns: [1, turns] as const,
    engine: { ...BASELINE.engine, grace, poll: MINUTE },
    faults: { ...MANY_FAULTS, workerDies: dies, workerHangs: 6 * HOUR, databaseRestarts: HOUR, providerLimit: 0.02 },
  }));

export async function playFleet(scenario: Scenario): Promise<Verdict> {
  const figures = simulate(scenario);
  const found = [...figures.violations];
  if (figures.done + figures.failed !== scenario.streams) found.push('streams came to no end');
  return {
    violations: found,
    trace: JSON.stringify(figures),
    ended: figures.failed === 0 ? 'done' : 'some-failed',
    story: [`${figures.turns} turns, ${figures.events} events`],
  };
}
