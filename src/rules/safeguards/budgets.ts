import type { LedgerIteration, LedgerLine, Overrun, RunLimits, TurnUse } from '../../contracts/index.ts';
import { allTokens, dollars, elapsed, sumDollars, tokens } from '../text/index.ts';
import type { Rate, Shared, Spent } from './api.ts';
import { growing, linesOf, totalsOf } from './growing.ts';

/** The usage of a run, including interrupted and limited iterations: they were paid for. */
export function spentBy(ledger: readonly LedgerLine[], run: string): Spent {
  const { costUsd, tokens } = totalsOf(ledger, run);
  return { costUsd: sumDollars([costUsd]), tokens };
}

/** The usage of iterations, of any run. */
export function spentIn(lines: readonly LedgerIteration[]): Spent {
  return {
    costUsd: sumDollars(lines.map((line) => line.costUsd ?? 0)),
    tokens: lines.reduce((sum, { usage }) => sum + allTokens(usage), 0),
  };
}

/** US dollars that a story has cost in all runs, since a person last reset it. */
export function storyCost(ledger: readonly LedgerLine[], story: string): number {
  const own = linesOf(ledger, story);
  const since = own.slice(own.findLastIndex(({ kind }) => kind === 'reset') + 1);
  return sumDollars(since.map((line) => (line.kind === 'iteration' ? (line.costUsd ?? 0) : 0)));
}

type RunBudgets = Pick<RunLimits, 'maxCost' | 'maxTokens' | 'maxDurationMs'>;
type CostBudgets = Pick<RunLimits, 'maxCost' | 'storyMaxCost'>;

/** The first budget of a run that is spent; null while some of each is left. */
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

/** The first exhausted budget that a run shares with others; null while some of each is left. */
export function sharedOverrun(shared: Shared | null | undefined): Overrun | null {
  if (!shared) return null;
  const { left, used } = shared;
  const found = overrun('cost', used.costUsd, left.costUsd) ?? overrun('tokens', used.tokens, left.tokens);
  return found && { ...found, shared: true };
}

/** What is left of one budget, and whose it is. */
export interface Remaining extends Pick<Overrun, 'shared'> {
  readonly budget: 'cost' | 'story-cost';
  /** US dollars; never negative. */
  readonly usd: number;
}

/** The lowest remaining amount that the next agent process on a story may cost; null when no budget is set. */
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

/** The first budget of run or story that is spent, including the usage so far of a process that is still running. */
export function liveOverrun(input: {
  readonly ledger: readonly LedgerLine[];
  readonly run: string;
  readonly story: string;
  readonly limits: RunBudgets & CostBudgets;
  /** The process's usage, which is not yet in the ledger. */
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

interface BudgetWords {
  readonly amount: (spent: number) => string;
  /** The flag of `ralph run` and `ralph steer` that sets it. */
  readonly flag: string;
}

/** How to write amounts of each budget, and the flag that sets it. */
export const BUDGET: Readonly<Record<Overrun['budget'], BudgetWords>> = {
  cost: { amount: dollars, flag: '--max-cost' },
  tokens: { amount: (count) => `${tokens(count)} tokens`, flag: '--max-tokens' },
  duration: { amount: elapsed, flag: '--max-duration' },
  'story-cost': { amount: dollars, flag: '--story-max-cost' },
};

/**
 * A spent budget as one sentence: how much of what, and what sets it.
 * @param story the story whose budget it is; null for that of the run
 */
export function budgetText({ budget, spent, limit, shared }: Overrun, story: string | null): string {
  const { amount, flag } = BUDGET[budget];
  if (shared && limit <= 0) return `nothing is left of the budget that the streams share; ${flag} sets it`;
  if (shared)
    return `${amount(spent)} spent, ${amount(limit)} was left of the budget that the streams share; ${flag} sets it`;
  return `${amount(spent)} of ${story ?? 'the run'} spent, the limit is ${amount(limit)}; ${flag} sets it`;
}

/** The window in which starts of agent processes are counted, in milliseconds. */
const HOUR = 3_600_000;

interface RateInput {
  readonly ledger: readonly LedgerLine[];
  /** Epoch ms. */
  readonly now: number;
  /** Agent processes per hour. */
  readonly limit: number;
  /** Starts that are not yet in the ledger, epoch ms. */
  readonly extra?: readonly number[];
}

/**
 * Agent processes of the last hour, over all runs of the workspace. Starts in the future, which come from before a
 * clock was set back, also count.
 */
export function rateOf({ ledger, now, limit, extra = [] }: RateInput): Rate {
  const leaves = [...recentCalls(ledger, now), ...extra.filter((at) => at > now - HOUR)]
    .map((at) => leavesWindowAt(at, now))
    .sort((one, other) => one - other);
  const used = leaves.length;
  // This many have to leave before another one fits in.
  const freeAt = used < limit ? null : (leaves[used - limit] ?? null);
  return { used, limit, freeAt };
}

/** Starts of agent processes in the workspace within the last hour, by any run, epoch ms. */
export function recentCalls(ledger: readonly LedgerLine[], now: number): readonly number[] {
  return allCalls(ledger).filter((at) => at > now - HOUR);
}

const allCalls = growing<number[]>(
  () => [],
  (calls, line) => calls.push(...callsOf(line)),
);

/** Epoch ms of every start of an agent process in a line. */
function callsOf(line: LedgerLine): readonly number[] {
  if (line.kind !== 'iteration') return [];
  return line.calls ?? [line.startedAt];
}

/**
 * When a start leaves the window. Whole hours are subtracted from future times: no wait exceeds an hour from now, and
 * the answer stays the same during the wait.
 */
function leavesWindowAt(at: number, now: number): number {
  const hoursAhead = Math.max(0, Math.ceil((at - now) / HOUR));
  return at + HOUR - hoursAhead * HOUR;
}

/** The usage in ledger lines that counts against the limits streams share. */
export function turnUse(lines: readonly LedgerLine[]): TurnUse {
  const iterations = lines.filter((line): line is LedgerIteration => line.kind === 'iteration');
  return { ...spentIn(iterations), calls: iterations.flatMap(callsOf) };
}
