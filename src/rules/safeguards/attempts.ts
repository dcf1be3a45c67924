import type { FailureContext, LedgerIteration, LedgerLine, Signals, Violation } from '../../contracts/index.ts';
import { isIgnored, linesOf, totalsOf } from './growing.ts';

/** The number of consecutive `advanced` iterations of a story that spend no attempt. */
export const ADVANCED_FREE = 2;

/**
 * Attempts a story has spent: its failed iterations in any mode since its review state last changed or a person reset
 * it; `advanced` ones count from the third in a row. Interrupted and limited ones neither count nor end a row.
 */
export function attemptsOf(ledger: readonly LedgerLine[], story: string): number {
  return fold(ledger, story).attempts;
}

/** The story's current number of consecutive `advanced` verdicts. */
export function advancedInRow(ledger: readonly LedgerLine[], story: string): number {
  return fold(ledger, story).row;
}

function fold(ledger: readonly LedgerLine[], story: string): { readonly attempts: number; readonly row: number } {
  let attempts = 0;
  let row = 0;
  for (const line of linesOf(ledger, story)) {
    if (line.kind === 'reset' || line.stateChanged) {
      attempts = 0;
      row = 0;
    } else if (!isIgnored(line.verdict)) {
      row = line.verdict === 'advanced' ? row + 1 : 0;
      const failed = line.verdict !== 'advanced' && line.verdict !== 'accepted' && line.uncharged !== true;
      if (failed || row > ADVANCED_FREE) attempts += 1;
    }
  }
  return { attempts, row };
}

/**
 * The failure of the last iteration that a story's next prompt must report; null when there is none. An interruption
 * names its rescue and keeps the failure before it alive; progress or a changed review state ends it.
 */
export function lastFailure(ledger: readonly LedgerLine[], story: string): FailureContext | null {
  let failure: FailureContext | null = null;
  for (const line of linesOf(ledger, story)) {
    if (line.kind === 'reset') failure = null;
    else if (isIgnored(line.verdict)) failure = withInterruption(failure, line);
    else failure = line.failure ?? rescued(line);
  }
  return failure;
}

function rescued({ reason, rescue, stateChanged }: LedgerIteration): FailureContext | null {
  return rescue === null || stateChanged ? null : { reason, checks: [], rescue, diffStat: null };
}

function withInterruption(earlier: FailureContext | null, line: LedgerIteration): FailureContext | null {
  const latest = line.failure ?? rescued(line);
  if (earlier === null || latest === null) return latest ?? earlier;
  return {
    reason: `${latest.reason}. Before that: ${earlier.reason}`,
    checks: earlier.checks,
    rescue: latest.rescue ?? earlier.rescue,
    diffStat: latest.rescue === null ? earlier.diffStat : latest.diffStat,
  };
}

/** Rules broken in the story's last iteration that was not cut short; the next prompt reports them once. */
export function lastViolations(ledger: readonly LedgerLine[], story: string): readonly Violation[] {
  const last = linesOf(ledger, story).findLast((line) => line.kind === 'iteration' && !isIgnored(line.verdict));
  return last?.kind === 'iteration' ? last.violations : [];
}

/** Iterations of a run that count against its limit. */
export function iterationsUsed(ledger: readonly LedgerLine[], run: string): number {
  return totalsOf(ledger, run).used;
}

/** Whether any iteration except a review committed work for this story. */
export function everWorkedOn(ledger: readonly LedgerLine[], story: string): boolean {
  return linesOf(ledger, story).some(
    (line) => line.kind === 'iteration' && line.mode !== 'review' && line.workFiles > 0,
  );
}

/** Iterations per story when this workspace has no history yet. */
const ITERATIONS_WITH_REVIEW = 2.6;
const ITERATIONS_WITHOUT_REVIEW = 1.2;

interface EstimateInput {
  readonly storiesLeft: number;
  readonly ledger: readonly LedgerLine[];
  readonly skipReview: boolean;
}

export interface Estimate {
  readonly storiesLeft: number;
  readonly iterationsPerStory: number;
  /** Rounded up. */
  readonly iterations: number;
  /** US dollars; null while no iteration of this workspace has reported its cost. */
  readonly costUsd: number | null;
}

/**
 * An estimate for the remaining stories, from the history of finished stories in this workspace. Stories finished
 * without review say nothing about stories with review, and vice versa. Failed iterations say nothing about the next.
 */
export function estimate({ storiesLeft, ledger, skipReview }: EstimateInput): Estimate {
  const iterations = ledger.filter(
    (line): line is LedgerIteration =>
      line.kind === 'iteration' && (line.verdict === 'accepted' || line.verdict === 'advanced'),
  );
  const end = skipReview ? 'done' : 'approved';
  const finished = new Set(iterations.filter((line) => line.state === end).map((line) => line.story));
  const spent = iterations.filter((line) => finished.has(line.story)).length;
  const guess = skipReview ? ITERATIONS_WITHOUT_REVIEW : ITERATIONS_WITH_REVIEW;
  const iterationsPerStory = finished.size === 0 ? guess : spent / finished.size;
  const costs = iterations.flatMap((line) => line.costUsd ?? []);
  const mean = costs.reduce((sum, cost) => sum + cost, 0) / costs.length;
  const exact = storiesLeft * iterationsPerStory;
  return {
    storiesLeft,
    iterationsPerStory,
    // Rounding errors of binary fractions must not turn 13 into 14: 2.6 × 5 is slightly more than 13.
    iterations: Math.ceil(Number(exact.toFixed(6))),
    costUsd: costs.length === 0 ? null : mean * exact,
  };
}

/** Iterations in the rolling windows. */
const WINDOW = 5;

/** The signals that end the work, each as a row at the end of the window. A single one may be a slip. */
const EXITS: readonly { readonly signal: 'done' | 'testOnly'; readonly inRow: number; readonly reason: string }[] = [
  { signal: 'done', inRow: 2, reason: 'the agent called the whole work finished in 2 iterations in a row' },
  { signal: 'testOnly', inRow: 3, reason: 'the last 3 iterations did nothing but run or write tests' },
];

const NOTHING: Signals = { done: false, completion: false, testOnly: false, confidence: 0 };

/**
 * Whether the signals of a run say that the work is over; null while it continues. Only for work without a backlog:
 * with one, the stories decide.
 * @param history - Oldest first; only the last five count.
 */
export function exitBySignals(history: readonly Signals[]): { readonly reason: string } | null {
  const window = history.slice(-WINDOW);
  for (const { signal, inRow, reason } of EXITS) {
    if (window.length >= inRow && window.slice(-inRow).every((signals) => signals[signal])) return { reason };
  }
  return null;
}

/**
 * The signals of a run, oldest first. Iterations that an interruption or a limit cut short are skipped; one whose work
 * was rolled back finished nothing, even if its agent said so.
 */
export function signalsOf(ledger: readonly LedgerLine[], run: string): readonly Signals[] {
  const history: Signals[] = [];
  for (const line of ledger) {
    if (line.kind !== 'iteration' || line.run !== run || isIgnored(line.verdict)) continue;
    history.push(ROLLED_BACK.has(line.verdict) ? NOTHING : (line.signals ?? NOTHING));
  }
  return history;
}

const ROLLED_BACK: ReadonlySet<string> = new Set(['rejected', 'timed-out', 'agent-error']);
