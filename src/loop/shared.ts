import type { LedgerIteration } from '../contracts/state/ledger.ts';
import type { Shared } from '../rules/safeguards/api.ts';
import { spentIn } from '../rules/safeguards/budgets.ts';
import type { RunContext } from './context.ts';

/** The budgets that this run shares with others, with what it used of them since it was told; null: it shares none. */
export function sharedOf({ ledger, linesBefore, left }: RunContext): Shared | null {
  if (!left) return null;
  const since = ledger.slice(linesBefore).filter((line): line is LedgerIteration => line.kind === 'iteration');
  return { left, used: spentIn(since) };
}
