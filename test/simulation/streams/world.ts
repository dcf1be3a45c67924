import * as fc from 'fast-check';

/** What comes of one turn of a stream. */
export type TurnDeed = 'next' | 'rest' | 'limit' | 'throw' | 'block';

/** Streams that one process takes the turns of, and what happens to them and to it. */
export interface StreamWorld {
  readonly seed: number;
  readonly capacity: number;
  readonly concurrency: number | null;
  readonly calls: number | null;
  /** For each stream what its turns come to, one after the other; after the last one it is done. */
  readonly streams: readonly (readonly TurnDeed[])[];
  /** The process is killed when so many turns were begun. */
  readonly kills: readonly number[];
  /** A person cancels a stream when so many turns were begun. */
  readonly cancels: readonly { readonly stream: number; readonly after: number }[];
}

const deed = fc.constantFrom<TurnDeed>('next', 'next', 'next', 'next', 'rest', 'limit', 'throw', 'block');

export const streamWorlds: fc.Arbitrary<StreamWorld> = fc.record({
  seed: fc.nat({ max: 2 ** 31 }),
  capacity: fc.integer({ min: 1, max: 4 }),
  concurrency: fc.option(fc.integer({ min: 1, max: 4 }), { nil: null }),
  calls: fc.option(fc.integer({ min: 3, max: 20 }), { nil: null }),
  streams: fc.array(fc.array(deed, { maxLength: 6 }), { minLength: 1, maxLength: 8 }),
  kills: fc.array(fc.integer({ min: 1, max: 25 }), { maxLength: 2 }),
  cancels: fc.array(fc.record({ stream: fc.nat({ max: 7 }), after: fc.integer({ min: 1, max: 20 }) }), {
    maxLength: 2,
  }),
});
