import { livedMs } from '../rules/safeguards/alive.ts';
import type { RunContext } from './context.ts';

/** How long the run has lived, milliseconds, the iteration under way included. */
export function aliveMs({ ledger, record, clock, iterationStartedAt }: RunContext): number {
  const now = clock.now();
  if (iterationStartedAt === null) return livedMs(record, ledger, now);
  // A wait between two tries is part of the iteration.
  return livedMs({ ...record, waiting: null }, ledger, now) + Math.max(0, now - iterationStartedAt);
}
