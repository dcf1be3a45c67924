import type { LedgerLine } from '../../contracts/state/ledger.ts';
import type { Rate } from './api.ts';

/** The window that starts of agent processes are counted in, milliseconds. */
const HOUR = 3_600_000;

interface RateInput {
  readonly ledger: readonly LedgerLine[];
  /** Epoch ms. */
  readonly now: number;
  /** Agent processes per hour. */
  readonly limit: number;
  /** Starts that the ledger does not have yet, epoch ms. */
  readonly extra?: readonly number[];
}

/**
 * Agent processes of the last hour, over all runs of the workspace. Starts in the future, from before a clock was set
 * back, count too.
 */
export function rateOf({ ledger, now, limit, extra = [] }: RateInput): Rate {
  const leaves = [...ledger.flatMap(callsOf), ...extra]
    .filter((at) => at > now - HOUR)
    .map((at) => leavesAt(at, now))
    .sort((one, other) => one - other);
  const used = leaves.length;
  // So many have to leave before another one fits in.
  const freeAt = used < limit ? null : (leaves[used - limit] ?? null);
  return { used, limit, freeAt };
}

/** Epoch ms of every start of an agent process that a line tells of. */
export function callsOf(line: LedgerLine): readonly number[] {
  if (line.kind !== 'iteration') return [];
  return line.calls ?? [line.startedAt];
}

/**
 * When a start leaves the window. Whole hours are taken off what is in the future: nobody waits longer than an hour
 * from now, and the answer stays the same while one waits.
 */
function leavesAt(at: number, now: number): number {
  const hoursAhead = Math.max(0, Math.ceil((at - now) / HOUR));
  return at + HOUR - hoursAhead * HOUR;
}
