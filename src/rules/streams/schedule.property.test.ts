import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '../../../test/support/property-runs.ts';
import type { StreamState } from '../../contracts/index.ts';
import { schedule } from './schedule.ts';

type ScheduleInput = Parameters<typeof schedule>[0];
type Scheduled = ScheduleInput['streams'][number];

const moment = fc.integer({ min: 0, max: 20 });
const states = fc.constantFrom<StreamState>(
  'ready',
  'ready',
  'later',
  'later',
  'working' as StreamState,
  'done' as StreamState,
);
const streams = fc
  .array(fc.record({ state: states, turns: fc.nat(3), since: moment, until: fc.option(moment, { nil: null }) }), {
    maxLength: 8,
  })
  .map((all) => all.map((one, at): Scheduled => ({ ...one, stream: `s${at}` })));
const inputs: fc.Arbitrary<ScheduleInput> = fc.record({
  streams,
  working: fc.nat(4),
  capacity: fc.nat(5),
  concurrency: fc.option(fc.nat(5), { nil: null }),
  rate: fc.option(fc.record({ used: fc.nat(5), limit: fc.nat(5), freeAt: fc.option(moment, { nil: null }) }), {
    nil: null,
  }),
  heldUntil: fc.option(moment, { nil: null }),
  now: moment,
});

/** Asked one after the other: whose turn is it now, out of those that may? */
function chosenOneByOne({ streams, working, capacity, concurrency, rate, heldUntil, now }: ScheduleInput): string[] {
  const chosen: string[] = [];
  while (true) {
    const busy = working + chosen.length;
    if (heldUntil !== null && heldUntil > now) return chosen;
    if (busy >= capacity || (concurrency !== null && busy >= concurrency)) return chosen;
    if (rate !== null && rate.used + chosen.length >= rate.limit) return chosen;
    let best: { readonly stream: string; readonly from: number; readonly turns: number } | null = null;
    for (const { stream, state, since, until, turns } of streams) {
      if (chosen.includes(stream)) continue;
      const from = state === 'ready' ? since : state === 'later' && until !== null && until <= now ? until : null;
      if (from === null) continue;
      if (best === null || from < best.from || (from === best.from && turns < best.turns))
        best = { stream, from, turns };
    }
    if (best === null) return chosen;
    chosen.push(best.stream);
  }
}

test('whose turn it is, asked all at once or one after the other, is the same', () => {
  fc.assert(
    fc.property(inputs, (input) => {
      expect(schedule(input).start).toEqual(chosenOneByOne(input));
    }),
    { numRuns: runs(2_000) },
  );
});

test('it is asked again at a moment to come, and at the latest when the next rest ends', () => {
  fc.assert(
    fc.property(inputs, (input) => {
      const { wakeAt } = schedule(input);
      const rests = input.streams.flatMap(({ state, until }) =>
        state === 'later' && until !== null && until > input.now ? [until] : [],
      );
      if (wakeAt !== null) expect(wakeAt).toBeGreaterThan(input.now);
      for (const end of rests) expect(wakeAt).toBeLessThanOrEqual(end);
    }),
  );
});

test('nobody starves: who is ready gets a turn, however many others there are', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 3 }), (count, capacity) => {
      let all: readonly Scheduled[] = Array.from({ length: count }, (_, at) => ({
        ...{ stream: `s${at}`, state: 'ready' as const, turns: 0, since: 0, until: null },
      }));
      for (let now = 1; now <= 60; now++) {
        const { start } = schedule({
          streams: all,
          working: 0,
          capacity,
          concurrency: null,
          rate: null,
          heldUntil: null,
          now,
        });
        all = all.map((one) => (start.includes(one.stream) ? { ...one, turns: one.turns + 1, since: now } : one));
        const turns = all.map((one) => one.turns);
        expect(Math.max(...turns) - Math.min(...turns)).toBeLessThanOrEqual(1);
      }
    }),
  );
});
