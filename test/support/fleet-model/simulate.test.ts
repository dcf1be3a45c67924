import { expect, test } from 'vitest';
import { schedule } from '../../../src/rules/streams/index.ts';
import { makeHeap } from './heap.ts';
import { makeRandom } from './random.ts';
import { BASELINE, HOUR, MANY_FAULTS, MINUTE, type Scenario } from './scenario.ts';
import { play, simulate } from './simulate.ts';
import { type Fleet, newFleet } from './state.ts';

/** Small fleets of every kind, by seed. */
function fleetOf(seed: number): Scenario {
  const { unit } = makeRandom(seed);
  const whole = (most: number) => 1 + Math.floor(unit() * most);
  const grace = [2000, 30_000, 120_000][seed % 3] ?? 0;
  return {
    ...BASELINE,
    seed,
    streams: whole(30),
    turns: [1, whole(8)],
    workers: whole(6),
    capacity: whole(4),
    concurrency: unit() < 0.4 ? whole(5) : null,
    calls: unit() < 0.4 ? 5 + whole(40) : null,
    engine: { ...BASELINE.engine, grace, poll: 60_000 },
    faults: {
      ...MANY_FAULTS,
      workerDies: 2 * HOUR,
      workerHangs: 6 * HOUR,
      databaseRestarts: HOUR,
      providerLimit: 0.02,
    },
  };
}

const SEEDS = Array.from({ length: 200 }, (_, at) => at + 1);

test('in 200 small fleets with many faults every stream comes to an end, in order and within all limits', () => {
  for (const seed of SEEDS) {
    const { violations, done, failed } = simulate(fleetOf(seed));
    expect({ seed, violations }).toEqual({ seed, violations: [] });
    expect(done + failed).toBe(fleetOf(seed).streams);
  }
});

test('the same seed gives the same figures', () => {
  expect(simulate(fleetOf(7))).toEqual(simulate(fleetOf(7)));
  expect(simulate(fleetOf(7))).not.toEqual(simulate(fleetOf(8)));
});

/** Without faults, and every turn takes as long. */
function calmFleetOf(seed: number): Scenario {
  const { faults } = BASELINE;
  const even = { median: 8 * MINUTE, sigma: 0 };
  return { ...fleetOf(seed), concurrency: null, calls: null, agent: even, git: { median: 600, sigma: 0 }, faults };
}

/** As long as all the others need for a turn each, on all places; a place that is free is noticed with the next poll. */
function longestFairWait({ streams, workers, capacity, agent, git, engine }: Scenario): number {
  return Math.ceil(streams / (workers * capacity)) * (agent.median + 2 * git.median + engine.poll + 1000);
}

test('nobody starves: in 200 fleets no stream waits longer than all the others need for a turn each', () => {
  for (const seed of SEEDS) {
    const { wait, repeated, failed } = simulate(calmFleetOf(seed));
    expect({ seed, repeated, failed }).toEqual({ seed, repeated: 0, failed: 0 });
    expect(wait.all).toBeLessThanOrEqual(longestFairWait(calmFleetOf(seed)));
  }
});

test('without deaths no more agents are started within an hour than the limit allows, whatever else goes wrong', () => {
  for (const seed of SEEDS) {
    const fleet = fleetOf(seed);
    const calls = 5 + (seed % 20);
    const faults = { ...BASELINE.faults, cools: 0.05, cooldown: HOUR / 2 };
    expect(simulate({ ...fleet, calls, faults }).mostCalls).toBeLessThanOrEqual(calls);
  }
});

/** A scenario with enough of everything that a rule which is broken shows. */
const CROWDED: Scenario = { ...calmFleetOf(1), streams: 30, turns: [3, 6], workers: 3, capacity: 2 };

/** Plays a fleet in which something was broken. */
function broken(scenario: Scenario, mutate: (fleet: Fleet) => Fleet) {
  return play(mutate(newFleet(scenario)));
}

test('a queue that hands a turn to two workers is found out', () => {
  const { violations } = broken(CROWDED, (fleet) => {
    let taken = 0;
    const take = () => {
      const first = fleet.ready.take();
      taken += 1;
      if (first !== undefined && taken === 20) fleet.ready.push(first);
      return first;
    };
    return { ...fleet, ready: { ...fleet.ready, take } };
  });
  expect(violations.join('\n')).toMatch(/was handed out while it was (handed|working)/);
});

test('a queue that serves the last one first is found out, and starves streams', () => {
  const { violations, wait } = broken(CROWDED, (fleet) => {
    const ready = makeHeap<Parameters<typeof schedule>[0]['streams'][number] & { readonly id: number }>(
      (one, other) => one.since > other.since,
    );
    return { ...fleet, ready };
  });
  expect(violations.join('\n')).toMatch(/stream \d+ came before stream \d+/);
  expect(wait.all).toBeGreaterThan(longestFairWait(CROWDED));
});

test('a fleet that forgets the agents it started is found out', () => {
  const limited = { ...CROWDED, calls: 10 };
  const forgetful = broken(limited, (fleet) => ({ ...fleet, calls: { ...fleet.calls, push: () => undefined } }));
  expect(simulate(limited).mostCalls).toBe(10);
  expect(forgetful.mostCalls).toBeGreaterThan(10);
});

test('choosing among the first so many is choosing among all', () => {
  const { unit } = makeRandom(3);
  for (let round = 0; round < 200; round++) {
    const heap = makeHeap<{ id: number; since: number }>(
      (a, b) => a.since < b.since || (a.since === b.since && a.id < b.id),
    );
    const all = Array.from({ length: 20 }, (_, id) => ({ id, since: Math.floor(unit() * 9) }));
    for (const one of all) heap.push(one);
    const input = (list: typeof all) => ({
      streams: list.map(({ id, since }) => ({
        stream: String(id),
        state: 'ready' as const,
        turns: 0,
        since,
        until: null,
      })),
      working: 2,
      capacity: 7,
      concurrency: 6,
      rate: { used: 2, limit: 2 + Math.floor(unit() * 6), freeAt: null },
      heldUntil: null,
      now: 100,
    });
    const first = Array.from({ length: 5 }, () => heap.take()).filter((one) => one !== undefined);
    const few = input(first);
    expect(schedule(few).start).toEqual(schedule({ ...input(all), rate: few.rate }).start);
  }
});
