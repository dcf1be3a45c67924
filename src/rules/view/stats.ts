import { type Mode, NO_USAGE, type Usage, type Verdict } from '../../contracts/model.ts';
import type { LedgerIteration, LedgerLine } from '../../contracts/state/ledger.ts';
import { sumDollars } from '../amounts.ts';
import type { Receipt } from '../backlog/api.ts';
import { BLOCKED_AT_CAP } from '../backlog/reviews/review.ts';
import { addCost, addUsage } from '../usage.ts';
import type { RunView } from './model.ts';
import { type TimeSpent, timeSpent } from './time-spent.ts';

/** What the runs of a workspace come to, all together. */
export interface Stats {
  readonly runs: number;
  readonly iterations: number;
  readonly verdicts: Readonly<Partial<Record<Verdict, number>>>;
  readonly modes: readonly ModeStats[];
  readonly reviews: {
    readonly stories: number;
    /** Stories that their first review approved. */
    readonly approvedAtFirst: number;
    /** Reviews of a story on average; null when there were none. */
    readonly perStory: number | null;
    /** How many stories had one review, two, …; fewest reviews first. */
    readonly distribution: readonly { readonly reviews: number; readonly stories: number }[];
    /** Stories for which the review cap decided, one way or the other. */
    readonly capHits: number;
  };
  /** What each story took, the most expensive first. */
  readonly stories: readonly StoryStats[];
  /** Why iterations were rejected, most frequent first: rules that were broken, checks that failed, else the reason. */
  readonly rejections: readonly { readonly cause: string; readonly count: number }[];
  readonly rollbacks: number;
  /** Of runs whose events are there. */
  readonly time: TimeSpent;
  readonly usage: Usage;
  /** Tokens that came from the cache, of all that went in; null when none did. */
  readonly cacheShare: number | null;
  readonly costUsd: number;
  readonly storiesDone: number;
  readonly costPerDoneStory: number | null;
  /** Test runs seen inside sessions, of runs whose events are there; how they ended, of the last ones of each run. */
  readonly tests: { readonly runs: number; readonly passed: number; readonly failed: number };
}

export interface StoryStats {
  readonly story: string;
  readonly iterations: number;
  /** Reviews that came to a conclusion. */
  readonly reviews: number;
  readonly rejected: number;
  /** Milliseconds of all its iterations. */
  readonly durationMs: number;
  /** US dollars; null when nobody said what anything cost. */
  readonly costUsd: number | null;
}

export interface ModeStats {
  readonly mode: Mode;
  readonly iterations: number;
  /** Averages; the cost is null when nobody said what anything cost. */
  readonly meanMs: number;
  readonly meanCostUsd: number | null;
}

const MODES: readonly Mode[] = ['implement', 'review', 'review-fix'];

/**
 * Statistics of a workspace: from the ledger, which has every iteration, from the views of the runs whose event logs
 * are still there, and from the receipts of stories that are done.
 */
export function statsOf(
  ledger: readonly LedgerLine[],
  views: readonly RunView[],
  receipts: readonly Pick<Receipt, 'story' | 'by'>[] = [],
): Stats {
  const lines = ledger.filter((line): line is LedgerIteration => line.kind === 'iteration');
  const usage = lines.reduce((sum, line) => addUsage(sum, line.usage), NO_USAGE);
  const costUsd = sumDollars(lines.map((line) => line.costUsd ?? 0));
  const storiesDone = new Set(lines.filter(({ state }) => state === 'approved' || state === 'done').map(storyOf)).size;
  const input = usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens;
  const tests = views.flatMap((view) => view.tests.last);
  return {
    runs: new Set(lines.map(({ run }) => run)).size,
    iterations: lines.length,
    verdicts: Object.fromEntries(counted(lines.map(({ verdict }) => verdict))),
    modes: MODES.flatMap((mode) => modeStats(mode, lines)),
    reviews: reviewStats(lines, receipts),
    stories: storyStats(lines),
    rejections: counted(lines.filter(({ verdict }) => verdict === 'rejected').map(causeOf)).map(([cause, count]) => ({
      cause,
      count,
    })),
    rollbacks: lines.filter(({ rescue }) => rescue !== null).length,
    time: timeSpent(views),
    usage,
    cacheShare: input === 0 ? null : usage.cacheReadTokens / input,
    costUsd,
    storiesDone,
    costPerDoneStory: storiesDone === 0 ? null : costUsd / storiesDone,
    tests: {
      runs: views.reduce((sum, view) => sum + view.tests.count, 0),
      passed: tests.filter(({ outcome }) => outcome === 'pass').length,
      failed: tests.filter(({ outcome }) => outcome === 'fail' || outcome === 'error').length,
    },
  };
}

const storyOf = ({ story }: LedgerIteration) => story;

function modeStats(mode: Mode, lines: readonly LedgerIteration[]): readonly ModeStats[] {
  const own = lines.filter((line) => line.mode === mode);
  if (own.length === 0) return [];
  const said = own.filter(({ costUsd }) => costUsd !== null);
  const cost = said.reduce<number | null>((sum, { costUsd }) => addCost(sum, costUsd), null);
  return [
    {
      mode,
      iterations: own.length,
      meanMs: own.reduce((sum, { durationMs }) => sum + durationMs, 0) / own.length,
      meanCostUsd: cost === null ? null : cost / said.length,
    },
  ];
}

function storyStats(lines: readonly LedgerIteration[]): readonly StoryStats[] {
  const stories = new Map<string, StoryStats>();
  for (const line of lines) {
    const { story } = line;
    const so = stories.get(story) ?? { story, iterations: 0, reviews: 0, rejected: 0, durationMs: 0, costUsd: null };
    stories.set(story, {
      story,
      iterations: so.iterations + 1,
      reviews: so.reviews + (isConcludedReview(line) ? 1 : 0),
      rejected: so.rejected + (line.verdict === 'rejected' ? 1 : 0),
      durationMs: so.durationMs + line.durationMs,
      costUsd: addCost(so.costUsd, line.costUsd),
    });
  }
  return [...stories.values()].sort(
    (one, other) => (other.costUsd ?? 0) - (one.costUsd ?? 0) || other.durationMs - one.durationMs,
  );
}

/** One that was cut short says nothing about the work. */
function isConcludedReview({ mode, stateChanged }: LedgerIteration): boolean {
  return mode === 'review' && stateChanged;
}

function reviewStats(
  lines: readonly LedgerIteration[],
  receipts: readonly Pick<Receipt, 'story' | 'by'>[],
): Stats['reviews'] {
  const reviews = lines.filter(isConcludedReview);
  const perStory = counted(reviews.map(storyOf)).map(([, count]) => String(count));
  const capped = [
    ...lines.filter(({ blocked }) => blocked?.startsWith(BLOCKED_AT_CAP)).map(storyOf),
    ...receipts.filter(({ by }) => by === 'cap').map(({ story }) => story),
  ];
  const first = new Map<string, LedgerIteration>();
  for (const review of reviews) if (!first.has(review.story)) first.set(review.story, review);
  const approved = [...first.values()].filter(({ state }) => state === 'approved' || state === 'done');
  return {
    stories: first.size,
    approvedAtFirst: approved.length,
    perStory: first.size === 0 ? null : reviews.length / first.size,
    distribution: counted(perStory)
      .map(([count, stories]) => ({ reviews: Number(count), stories }))
      .sort((one, other) => one.reviews - other.reviews),
    capHits: new Set(capped).size,
  };
}

/** The first of what is known: a broken rule explains more than the check that then failed. */
function causeOf({ violations, checks, reason }: LedgerIteration): string {
  const rule = violations[0]?.rule;
  if (rule !== undefined) return rule;
  const red = checks.find(({ ok }) => !ok);
  return red ? `check failed: ${red.command}` : reason;
}

function counted<T extends string>(values: readonly T[]): readonly (readonly [T, number])[] {
  const counts = new Map<T, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].sort(([, one], [, other]) => other - one);
}
