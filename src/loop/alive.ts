import { livedMs } from '../rules/safeguards/alive.ts';
import type { RunContext } from './context.ts';

/** How long the run has lived, milliseconds, the iteration under way included. */
export function aliveMs({ ledger, record, clock, iterationStartedAt }: RunContext): number {
  const now = clock.now();
  const working = iterationStartedAt === null ? 0 : Math.max(0, now - iterationStartedAt);
  return livedMs(record, ledger, now) + working;
}
