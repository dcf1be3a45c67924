import type { LedgerIteration, LedgerLine } from '../../contracts/state/ledger.ts';
import type { Overrun, RunLimits } from '../../contracts/state/run-record.ts';
import { sumDollars } from '../amounts.ts';
import { allTokens } from '../usage.ts';
import type { Shared, Spent } from './api.ts';

/** What a run has used, its interrupted and limited iterations included: they were paid for. */
export function spentBy(ledger: readonly LedgerLine[], run: string): Spent {
  return spentIn(ledger.filter((line): line is LedgerIteration => line.kind === 'iteration' && line.run === run));
}

/** What iterations have used, of whichever runs they are. */
export function spentIn(lines: readonly LedgerIteration[]): Spent {
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

/** The first budget that a run shares with others of which nothing is left; null while there is something of each. */
export function sharedOverrun(shared: Shared | null | undefined): Overrun | null {
  if (!shared) return null;
  const { left, used } = shared;
  const found = overrun('cost', used.costUsd, left.costUsd) ?? overrun('tokens', used.tokens, left.tokens);
  return found && { ...found, shared: true };
}

/** What is left of one budget, and of whose. */
export interface Remaining extends Pick<Overrun, 'shared'> {
  readonly budget: 'cost' | 'story-cost';
  /** US dollars; never less than nothing. */
  readonly usd: number;
}

/** The least of what the next agent process on a story may cost; null where nobody set a budget. */
export function remainingUsd(input: {
  readonly ledger: readonly LedgerLine[];
  readonly run: string;
  readonly story: string;
  readonly limits: CostBudgets;
  readonly shared?: Shared | null;
}): Remaining | null {
  const { ledger, run, story, limits, shared } = input;
  const common = shared?.left.costUsd ?? null;
  const budgets: readonly Remaining[] = [
    ...(limits.maxCost === null ? [] : [rest('cost', limits.maxCost, spentBy(ledger, run).costUsd)]),
    ...(common === null ? [] : [{ ...rest('cost', common, shared?.used.costUsd ?? 0), shared: true as const }]),
    ...(limits.storyMaxCost === null ? [] : [rest('story-cost', limits.storyMaxCost, storyCost(ledger, story))]),
  ];
  const least = Math.min(...budgets.map(({ usd }) => usd));
  return budgets.find(({ usd }) => usd === least) ?? null;
}

function rest(budget: Remaining['budget'], limit: number, spent: number): Remaining {
  return { budget, usd: Math.max(0, sumDollars([limit - spent])) };
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
  readonly shared?: Shared | null;
}): Overrun | null {
  const { ledger, run, story, limits, live, aliveMs, shared } = input;
  return (
    runOverrun({ spent: sum(spentBy(ledger, run), live), aliveMs, limits }) ??
    sharedOverrun(shared && { ...shared, used: sum(shared.used, live) }) ??
    overrun('story-cost', sumDollars([storyCost(ledger, story), live.costUsd]), limits.storyMaxCost)
  );
}

function sum(one: Spent, other: Spent): Spent {
  return { costUsd: sumDollars([one.costUsd, other.costUsd]), tokens: one.tokens + other.tokens };
}

function overrun(budget: Overrun['budget'], spent: number, limit: number | null): Overrun | null {
  return limit !== null && spent >= limit ? { budget, spent, limit } : null;
}
