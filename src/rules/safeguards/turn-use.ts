import type { LedgerIteration, LedgerLine } from '../../contracts/state/ledger.ts';
import type { TurnUse } from '../../contracts/streams.ts';
import { spentIn } from './budgets.ts';
import { callsOf } from './rate.ts';

/** What lines of ledgers used of the limits that streams share. */
export function turnUse(lines: readonly LedgerLine[]): TurnUse {
  const iterations = lines.filter((line): line is LedgerIteration => line.kind === 'iteration');
  return { ...spentIn(iterations), calls: iterations.flatMap(callsOf) };
}
