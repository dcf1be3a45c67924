import {
  type LedgerIteration,
  type LedgerLine,
  MODES,
  type Mode,
  NO_USAGE,
  type Usage,
  type Verdict,
} from '../../contracts/index.ts';
import { BLOCKED_AT_CAP, type Receipt } from '../backlog/index.ts';
import { addCost, addedTokens, addUsage, sumDollars } from '../text/index.ts';
import type { IterationView, RunView } from './model.ts';

export interface Stats {
  readonly runs: number;
  readonly iterations: number;
  readonly verdicts: Readonly<Partial<Record<Verdict, number>>>;
  readonly modes: readonly ModeStats[];
  readonly reviews: {
    readonly stories: number;
    /** Stories approved by their first review. */
    readonly approvedAtFirst: number;
    /** Average number of reviews of a story; null when there were none. */
    readonly perStory: number | null;
    /** How many stories had one review, two, …; fewest reviews first. */
    readonly distribution: readonly { readonly reviews: number; readonly stories: number }[];
    /** Stories that the review cap decided, either way. */
    readonly capHits: number;
  };
  /** The cost of each story, the most expensive first. */
  readonly stories: readonly StoryStats[];
  /** Why iterations were rejected, most frequent first: broken rules, failed checks, else the reason. */
  readonly rejections: readonly { readonly cause: string; readonly count: number }[];
  readonly rollbacks: number;
  /** Only of runs whose event logs exist. */
  readonly time: TimeSpent;
  readonly usage: Usage;
  /** Share of input tokens that came from the cache; null when there was no input. */
  readonly cacheShare: number | null;
  readonly costUsd: number;
  readonly storiesDone: number;
  readonly costPerDoneStory: number | null;
  /** Test runs seen inside sessions, of runs whose event logs exist; the results only of each run's last ones. */
  readonly tests: { readonly runs: number; readonly passed: number; readonly failed: number };
}

export interface StoryStats {
  readonly story: string;
  readonly iterations: number;
  /** Reviews that came to a conclusion. */
  readonly reviews: number;
  readonly rejected: number;
  /** Milliseconds of all its iterations together. */
  readonly durationMs: number;
  /** US dollars; null when no cost is known. */
  readonly costUsd: number | null;
}

export interface ModeStats {
  readonly mode: Mode;
  readonly iterations: number;
  /** Averages; the cost is null when no cost is known. */
  readonly meanMs: number;
  readonly meanCostUsd: number | null;
  /** Tokens that the loop added to an iteration, story left out; only of runs whose event logs exist. */
  readonly meanAdded: number | null;
}

/**
 * Statistics of a workspace: from the ledger, which has every iteration, from the views of runs whose event logs still
 * exist, and from the receipts of done stories.
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
  const tests = views.flatMap((view) => view.tests.last);
  const rejected = lines.filter(({ verdict }) => verdict === 'rejected');
  return {
    runs: new Set(lines.map(({ run }) => run)).size,
    iterations: lines.length,
    verdicts: Object.fromEntries(counted(lines.map(({ verdict }) => verdict))),
    modes: MODES.flatMap((mode) => modeStats(mode, lines, views)),
    reviews: reviewStats(lines, receipts),
    stories: storyStats(lines),
    rejections: counted(rejected.map(causeOf)).map(([cause, count]) => ({ cause, count })),
    rollbacks: lines.filter(({ rescue }) => rescue !== null).length,
    time: timeSpent(views),
    usage,
    cacheShare: cacheShareOf(usage),
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

/** Share of the input that was read from the cache; null without any input. */
export function cacheShareOf({ inputTokens, cacheReadTokens, cacheWriteTokens }: Usage): number | null {
  const input = inputTokens + cacheReadTokens + cacheWriteTokens;
  return input === 0 ? null : cacheReadTokens / input;
}

function modeStats(mode: Mode, lines: readonly LedgerIteration[], views: readonly RunView[]): readonly ModeStats[] {
  const own = lines.filter((line) => line.mode === mode);
  if (own.length === 0) return [];
  const costs = own.flatMap(({ costUsd }) => costUsd ?? []);
  return [
    {
      mode,
      iterations: own.length,
      meanMs: own.reduce((sum, { durationMs }) => sum + durationMs, 0) / own.length,
      meanCostUsd: costs.length === 0 ? null : costs.reduce((sum, cost) => sum + cost, 0) / costs.length,
      meanAdded: meanAdded(views.flatMap(({ iterations }) => iterations).filter((row) => row.mode === mode)),
    },
  ];
}

/** The mean of what the loop added to iterations, their stories left out; null when no event says it. */
export function meanAdded(rows: readonly Pick<IterationView, 'added'>[]): number | null {
  const known = rows.flatMap(({ added }) => (added === null ? [] : [addedTokens(added)]));
  return known.length === 0 ? null : Math.round(known.reduce((sum, tokens) => sum + tokens, 0) / known.length);
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

/** A review that was cut short says nothing about the work. */
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

/** The first known cause: a broken rule explains more than the check that then failed. */
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

/** How the time of runs was spent, in milliseconds. */
export interface TimeSpent {
  /** From the first event to the last one; the sum over several runs. */
  readonly totalMs: number;
  /** Time of agents, without the checks that they waited for. */
  readonly agentMs: number;
  readonly checkMs: number;
  readonly waitedMs: number;
  /** The rest: the loop's own work. Zero when lanes worked in parallel. */
  readonly ownMs: number;
}

/** Pure. */
export function timeSpent(views: readonly RunView[]): TimeSpent {
  const sum = (values: readonly number[]) => values.reduce((all, value) => all + value, 0);
  const rows = views.flatMap(({ iterations }) => iterations);
  const before = views.flatMap(({ checks }) => checks.last.filter(({ iteration }) => iteration === 0));
  const totalMs = sum(views.map((view) => durationOf(view, null)));
  const agentMs = sum(rows.map((row) => row.agentMs));
  const checkMs = sum([...rows.map((row) => row.checkMs), ...before.map(({ durationMs }) => durationMs)]);
  const waitedMs = sum(views.map((view) => view.waitedMs));
  return { totalMs, agentMs, checkMs, waitedMs, ownMs: Math.max(0, totalMs - agentMs - checkMs - waitedMs) };
}

/**
 * Duration of a run so far in milliseconds: from its start, without the times between turns.
 * @param now epoch ms while a process works on it; null otherwise: then up to its last event
 */
export function durationOf(
  { startedAt, ended, betweenSince, betweenMs, lastEventAt }: RunView,
  now: number | null,
): number {
  if (startedAt === null) return 0;
  const until = ended?.at ?? betweenSince ?? now ?? lastEventAt;
  return Math.max(0, until - startedAt - betweenMs);
}
