import type { RunContext } from '../../loop/context.ts';
import { laneMarkOf } from '../../rules/streams/lanes.ts';

/**
 * Numbers the iterations of lanes as iterations of the run: each gets the next one when it is first heard of, and keeps
 * it. What the ledger has already, e.g. from before a crash, keeps its number, too.
 */
export function iterationNumbers(
  { ledger, run }: RunContext,
  onIteration: (iteration: number, lane: number) => void,
): (laneRun: string, iteration: number, lane: number) => number {
  const numbers = new Map<string, number>();
  let last = 0;
  for (const line of ledger) {
    if (line.kind !== 'iteration' || line.run !== run) continue;
    last = Math.max(last, line.iteration);
    const mark = laneMarkOf(line);
    if (mark) numbers.set(keyOf(mark.run, mark.iteration), line.iteration);
  }
  return (laneRun, iteration, lane) => {
    const key = keyOf(laneRun, iteration);
    const known = numbers.get(key);
    if (known !== undefined) return known;
    last += 1;
    numbers.set(key, last);
    onIteration(last, lane);
    return last;
  };
}

const keyOf = (run: string, iteration: number) => `${run} ${iteration}`;
