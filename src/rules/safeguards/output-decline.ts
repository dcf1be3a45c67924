import type { Mode } from '../../contracts/model.ts';
import type { LedgerIteration, LedgerLine } from '../../contracts/state/ledger.ts';

/** Iterations of one mode that an answer is compared with, and how few of them say nothing yet. */
const WINDOW = 5;
const FEWEST = 3;

/** Characters of the last answers in each mode, oldest first. */
type Outputs = Map<Mode, readonly number[]>;

/** How much agents wrote in the last iterations, good or bad; a person who closes the breaker starts it afresh. */
export function usualOutputs(ledger: readonly LedgerLine[]): Outputs {
  const outputs: Outputs = new Map();
  for (const line of ledger) {
    if (line.kind === 'circuit-reset') outputs.clear();
    if (line.kind === 'iteration' && line.counts !== 'ignored') remember(outputs, line);
  }
  return outputs;
}

/** Takes an iteration into the window of its mode, if it says how much was written. */
export function remember(outputs: Outputs, { mode, outputChars }: LedgerIteration): void {
  if (outputChars === undefined) return;
  outputs.set(mode, [...(outputs.get(mode) ?? []), outputChars].slice(-WINDOW));
}

/** Whether the agent wrote more than `percent` less than the mean of the iterations before, in the same mode. */
export function hasDeclined(outputs: Outputs, { mode, outputChars }: LedgerIteration, percent: number): boolean {
  const earlier = outputs.get(mode) ?? [];
  if (outputChars === undefined || earlier.length < FEWEST) return false;
  const sum = earlier.reduce((total, chars) => total + chars, 0);
  // outputChars < mean × (1 - percent / 100), in whole numbers.
  return outputChars * 100 * earlier.length < sum * (100 - percent);
}
