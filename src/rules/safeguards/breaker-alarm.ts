import type { LedgerIteration } from '../../contracts/state/ledger.ts';
import type { Breaker } from './api.ts';

/** What speaks for half-open or open. */
export interface Alarm {
  readonly cause: NonNullable<Breaker['cause']>;
  readonly state: 'half-open' | 'open';
  /** The last iterations it is concluded from, oldest first. */
  readonly lines: readonly LedgerIteration[];
  /** How many there were. */
  readonly times: number;
}
