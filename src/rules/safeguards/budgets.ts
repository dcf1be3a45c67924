import type { LedgerIteration, LedgerLine, Overrun, RunLimits } from '../../contracts/state.ts';
import { sumDollars } from '../amounts.ts';
import { allTokens } from '../usage.ts';
import type { Spent } from './api.ts';

/** What a run has used, its interrupted and limited iterations included: they were paid for. */
export function spentBy(ledger: readonly LedgerLine[], run: string): Spent {
  const lines = ledger.filter((line): line is LedgerIteration => line.kind === 'iteration' && line.run === run);
  return {
    costUsd: sumDollars(lines.map((line) => line.costUsd ?? 0)),
    tokens: lines.reduce((sum, { usage }) => sum + allTokens(usage), 0),
  };
}

/** US dollars that a story has cost in all runs, since a person last reset it. */
export function storyCost(ledger: readonly LedgerLine[], story: string): number {
  const reset = ledger.findLastIndex((line) => line.kind === 'reset' && line.story === story);
  const since = ledger.slice(reset + 1);
  return sumDollars(since.map((line) => (line.kind === 'iteration' && line.story === story ? (line.costUsd ?? 0) : 0)));
}

type RunBudgets = Pick<RunLimits, 'maxCost' | 'maxTokens' | 'maxDurationMs'>;
type CostBudgets = Pick<RunLimits, 'maxCost' | 'storyMaxCost'>;

/** The first budget of a run that is spent; null while there is something left of each. */
export function runOverrun(input: {
  readonly spent: Spent;
  /** Milliseconds the run has lived. */
  readonly aliveMs: number;
  readonly limits: RunBudgets;
}): Overrun | null {
  const { spent, aliveMs, limits } = input;
  return (
    overrun('cost', spent.costUsd, limits.maxCost) ??
    overrun('tokens', spent.tokens, limits.maxTokens) ??
    overrun('duration', aliveMs, limits.maxDurationMs)
  );
}

/** US dollars that the next agent process on a story may cost; null when neither run nor story has a budget. */
export function remainingUsd(input: {
  readonly ledger: readonly LedgerLine[];
  readonly run: string;
  readonly story: string;
  readonly limits: CostBudgets;
}): number | null {
  const { ledger, run, story, limits } = input;
  const left = [
    ...(limits.maxCost === null ? [] : [limits.maxCost - spentBy(ledger, run).costUsd]),
    ...(limits.storyMaxCost === null ? [] : [limits.storyMaxCost - storyCost(ledger, story)]),
  ];
  return left.length === 0 ? null : Math.max(0, sumDollars([Math.min(...left)]));
}

/** The first budget of run or story that is spent with what a process that still works has used so far. */
export function liveOverrun(input: {
  readonly ledger: readonly LedgerLine[];
  readonly run: string;
  readonly story: string;
  readonly limits: RunBudgets & CostBudgets;
  /** What the process used; the ledger does not have it yet. */
  readonly live: Spent;
  readonly aliveMs: number;
}): Overrun | null {
  const { ledger, run, story, limits, live, aliveMs } = input;
  const before = spentBy(ledger, run);
  const spent = { costUsd: sumDollars([before.costUsd, live.costUsd]), tokens: before.tokens + live.tokens };
  return (
    runOverrun({ spent, aliveMs, limits }) ??
    overrun('story-cost', sumDollars([storyCost(ledger, story), live.costUsd]), limits.storyMaxCost)
  );
}

function overrun(budget: Overrun['budget'], spent: number, limit: number | null): Overrun | null {
  return limit !== null && spent >= limit ? { budget, spent, limit } : null;
}
