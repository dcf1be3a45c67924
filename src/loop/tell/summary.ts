import { loadOrThrow } from '../../adapters/workspace/backlog/document.ts';
import {
  type EndReason,
  type ExitCodeValue,
  NO_USAGE,
  type PersonNeed,
  type Story,
  type TamperFinding,
  type Usage,
} from '../../contracts/model.ts';
import type { LedgerIteration } from '../../contracts/state/ledger.ts';
import { sumDollars } from '../../rules/amounts.ts';
import type { BacklogDocument } from '../../rules/backlog/api.ts';
import { CAP_MARK } from '../../rules/backlog/reviews/review.ts';
import { toAnswer } from '../../rules/backlog/reviews/weakened.ts';
import { isDone } from '../../rules/backlog/select.ts';
import { rescueName } from '../../rules/rescue-name.ts';
import { addUsage } from '../../rules/usage.ts';
import { needsAtTheEnd } from '../../rules/view/at-the-end.ts';
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
  /** What a person has to do or to know now, most pressing first. */
  readonly needs: readonly PersonNeed[];
  /** How many iterations had work rolled back that is kept. */
  readonly rescues: number;
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
    needs: await needsOf(context, document, lines),
    rescues: lines.filter(({ rescue }) => rescue !== null).length,
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
    ...(summary.needs.length > 0 ? { needs: summary.needs } : {}),
    ...(lonePrompt ? { lonePrompt } : {}),
  });
  return summary;
}

async function needsOf(
  { git, ledger, remembered, workspace }: RunContext,
  { format, backlog }: BacklogDocument,
  lines: readonly LedgerIteration[],
): Promise<readonly PersonNeed[]> {
  // Without a backlog there is one pseudo story, which the end of the run tells of anyhow.
  const isLone = format === 'prompt';
  return needsAtTheEnd({
    stories: isLone ? [] : backlog.stories,
    open: await openWeakenings({ git, ledger, workspace }),
    accepted: lines.flatMap(({ story, acceptedWeakenings = [] }) =>
      acceptedWeakenings.map((found) => ({ ...found, story })),
    ),
    remembered,
    rescues: lines.flatMap(({ rescue, story, mode, reason, commit, workFiles }) =>
      rescue === null || isLone
        ? []
        : [{ name: rescueName(rescue), story, mode, reason, hasCommit: commit !== null && workFiles > 0 }],
    ),
  });
}

/** Weakened tests on the branch that no review has accepted. */
async function openWeakenings(
  place: Pick<RunContext, 'git' | 'ledger' | 'workspace'>,
): Promise<readonly TamperFinding[]> {
  const { git, ledger } = place;
  const isFlagged = ledger.some((line) => line.kind === 'iteration' && (line.tampering ?? []).length > 0);
  const head = isFlagged ? await git.resolve('HEAD') : null;
  if (head === null) return [];
  // Large, and most runs weaken nothing.
  const { tamperingUnderReview } = await import('../judge/tampering.ts');
  return toAnswer(await tamperingUnderReview(place, head));
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
