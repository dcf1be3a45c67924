import type { Overrun } from '../../contracts/state/run-record.ts';
import { dollars, elapsed, tokens } from '../amounts.ts';

interface BudgetWords {
  readonly amount: (spent: number) => string;
  /** The flag of `ralph run` and `ralph steer` that sets it. */
  readonly flag: string;
}

/** How amounts of each budget read, and what sets it. */
export const BUDGET: Readonly<Record<Overrun['budget'], BudgetWords>> = {
  cost: { amount: dollars, flag: '--max-cost' },
  tokens: { amount: (count) => `${tokens(count)} tokens`, flag: '--max-tokens' },
  duration: { amount: elapsed, flag: '--max-duration' },
  'story-cost': { amount: dollars, flag: '--story-max-cost' },
};

/**
 * A budget that is spent, as one sentence: how much of what, and what sets it.
 * @param story whose budget it is; null for that of the run
 */
export function budgetText({ budget, spent, limit, shared }: Overrun, story: string | null): string {
  const { amount, flag } = BUDGET[budget];
  if (shared && limit <= 0) return `nothing is left of the budget that the streams share; ${flag} sets it`;
  if (shared)
    return `${amount(spent)} spent, ${amount(limit)} was left of the budget that the streams share; ${flag} sets it`;
  return `${amount(spent)} of ${story ?? 'the run'} spent, the limit is ${amount(limit)}; ${flag} sets it`;
}
