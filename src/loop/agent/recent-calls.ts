import { callsOf } from '../../rules/safeguards/rate.ts';
import type { RunContext } from '../context.ts';

const HOUR = 3_600_000;

/** Starts of agent processes of the workspace within the last hour, epoch ms: those of other runs fill the limit too. */
export function callsBefore({ ledger, clock }: Pick<RunContext, 'ledger' | 'clock'>): readonly number[] {
  const since = clock.now() - HOUR;
  return ledger.flatMap(callsOf).filter((at) => at > since);
}
