import type { LedgerIteration, LedgerLine } from '../../contracts/state/ledger.ts';
import { isIgnored } from './attempts.ts';

/** Iterations a story takes where this workspace has no history yet. */
const ITERATIONS_WITH_REVIEW = 2.6;
const ITERATIONS_WITHOUT_REVIEW = 1.2;

export interface EstimateInput {
  readonly storiesLeft: number;
  readonly ledger: readonly LedgerLine[];
  readonly skipReview: boolean;
}

export interface Estimate {
  readonly storiesLeft: number;
  readonly iterationsPerStory: number;
  /** Rounded up. */
  readonly iterations: number;
  /** US dollars; null while no iteration of this workspace said what it cost. */
  readonly costUsd: number | null;
}

/**
 * What the stories that are left will take, from the history of finished stories in this workspace. Stories finished
 * without review say nothing about those with one, and the other way round.
 */
export function estimate({ storiesLeft, ledger, skipReview }: EstimateInput): Estimate {
  const iterations = ledger.filter(
    (line): line is LedgerIteration => line.kind === 'iteration' && !isIgnored(line.verdict),
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
    // Binary fractions must not round 13 up to 14: 2.6 × 5 is a little more than 13.
    iterations: Math.ceil(Number(exact.toFixed(6))),
    costUsd: costs.length === 0 ? null : mean * exact,
  };
}
