import { add, nothing, type Tally } from './tally.ts';

/** Counts one check as one test: it passes unless it throws. */
export type Check = (title: string, body: () => Promise<void>) => Promise<void>;

/** A running count: suites are added whole, checks one by one. */
export interface Count {
  readonly check: Check;
  readonly add: (more: Tally) => void;
  readonly tally: () => Tally;
}

export function startCount(): Count {
  let tally = nothing;
  return {
    tally: () => tally,
    add: (more) => {
      tally = add(tally, more);
    },
    check: async (title, body) => {
      console.log(`\n── ${title}`);
      try {
        await body();
        console.log(`✓ ${title}`);
        tally = add(tally, { ...nothing, passed: 1 });
      } catch (error) {
        const fault = `${title}: ${error instanceof Error ? error.message : error}`;
        console.log(`✗ ${fault}`);
        tally = add(tally, { ...nothing, failed: 1, faults: [fault] });
      }
    },
  };
}
