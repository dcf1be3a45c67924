import { loadOrThrow } from '../../adapters/workspace/backlog/document.ts';
import { type EndReason, type ExitCodeValue, NO_USAGE, type Story, type Usage } from '../../contracts/model.ts';
import type { LedgerIteration } from '../../contracts/state/ledger.ts';
import { sumDollars } from '../../rules/amounts.ts';
import { CAP_MARK } from '../../rules/backlog/reviews/review.ts';
import { isDone } from '../../rules/backlog/select.ts';
import { rescueName } from '../../rules/rescue-name.ts';
import { addUsage } from '../../rules/usage.ts';
import type { RunContext } from '../context.ts';
import { type End, exitCodeOf } from '../decide.ts';
import { countStories, type StoryCounts } from './count-stories.ts';

/** What a run amounts to; everything a person is told at its end. */
export interface RunSummary {
  readonly run: string;
  readonly reason: EndReason;
  readonly exitCode: ExitCodeValue;
  /** One sentence beyond the reason: the error, the limit …; empty when the reason says it all. */
  readonly detail: string;
  readonly branch: string | null;
  /** There is no backlog: `stories` holds the one pseudo story of a prompt. */
  readonly lonePrompt: boolean;
  readonly counts: StoryCounts;
  readonly stories: readonly StoryOutcome[];
  /** How many there were. */
  readonly iterations: number;
  readonly commits: readonly { readonly commit: string; readonly subject: string }[];
  readonly rescues: readonly { readonly name: string; readonly story: string; readonly reason: string }[];
  readonly costUsd: number | null;
  readonly usage: Usage;
  readonly durationMs: number;
}

/** A story as this run leaves it. */
export interface StoryOutcome {
  readonly id: string;
  readonly title: string;
  readonly story: Story;
  /** Why it is blocked, what it was approved with at the cap …; empty when there is nothing to add. */
  readonly note: string;
  readonly iterations: number;
  readonly costUsd: number | null;
}

/** What a run says that was ended in the middle of something, where the reason alone does not say enough. */
const UNSAID: Readonly<Partial<Record<EndReason, string>>> = {
  stopped: 'a person asked it to stop at once (`ralph stop --now`)',
};

/** Ends a run: reads the backlog a last time, sums the ledger, and emits `run-end`. */
export async function summarise(context: RunContext, { reason, detail }: End): Promise<RunSummary> {
  const { ledger, run, git, request, record, clock } = context;
  const { document } = await loadOrThrow(context.workspace);
  const { stories } = document.backlog;
  const lines = ledger.filter((line): line is LedgerIteration => line.kind === 'iteration' && line.run === run);
  const counts = countStories(stories);
  const wanted = stories.filter(({ id }) => (request.only ?? request.until ?? id) === id);
  // Without a backlog the condition is all that says when it is done; only red checks know better.
  const endsPrompt =
    reason === 'condition' && document.format === 'prompt' && (lines.at(-1)?.checks.every(({ ok }) => ok) ?? false);
  const summary: RunSummary = {
    run,
    reason,
    exitCode: exitCodeOf(reason, wanted.every(isDone) || endsPrompt),
    detail: detail ?? UNSAID[reason] ?? '',
    branch: await git.currentBranch(),
    lonePrompt: document.format === 'prompt',
    counts,
    stories: stories.map((story) => storyOutcome(story, lines)),
    iterations: lines.length,
    commits: lines.flatMap(({ commit, subject }) => (commit ? [{ commit, subject: subject ?? '' }] : [])),
    rescues: lines.flatMap(({ rescue, story, reason: why }) =>
      rescue ? [{ name: rescueName(rescue), story, reason: why }] : [],
    ),
    costUsd: sumCosts(lines),
    usage: lines.reduce((sum, line) => addUsage(sum, line.usage), NO_USAGE),
    durationMs: clock.now() - record.startedAt,
  };
  const { exitCode, usage, durationMs, lonePrompt } = summary;
  context.emit(0, {
    type: 'run-end',
    reason,
    exitCode,
    summary: inOneLine(summary),
    ...(summary.detail ? { detail: summary.detail } : {}),
    stories: counts,
    costUsd: summary.costUsd ?? 0,
    usage,
    durationMs,
    ...(lonePrompt ? { lonePrompt } : {}),
  });
  return summary;
}

function inOneLine({ reason, counts, iterations, lonePrompt }: RunSummary): string {
  const stories = lonePrompt ? '' : `${counts.done} of ${counts.total} stories done, `;
  return `${reason}: ${stories}${iterations} ${iterations === 1 ? 'iteration' : 'iterations'}`;
}

function storyOutcome(story: Story, lines: readonly LedgerIteration[]): StoryOutcome {
  const own = lines.filter((line) => line.story === story.id);
  const capped = story.notes.includes(CAP_MARK) ? 'approved at the review cap' : '';
  return {
    id: story.id,
    title: story.title,
    story,
    note: story.blocked ?? capped,
    iterations: own.length,
    costUsd: sumCosts(own),
  };
}

/** null when nobody said what anything cost. */
function sumCosts(lines: readonly LedgerIteration[]): number | null {
  const known = lines.flatMap(({ costUsd }) => (costUsd === null ? [] : [costUsd]));
  return known.length === 0 ? null : sumDollars(known);
}
