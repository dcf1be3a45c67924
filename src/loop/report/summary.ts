import { loadOrThrow } from '../../adapters/workspace/index.ts';
import {
  type EndReason,
  type ExitCodeValue,
  type LedgerIteration,
  NO_USAGE,
  type Story,
  type TamperFinding,
  type TurnReport,
  type TurnUse,
  type Usage,
  type UserNeed,
} from '../../contracts/index.ts';
import { type BacklogDocument, CAP_MARK, isDone, toAnswer } from '../../rules/backlog/index.ts';
import { greenCommands, redAtBaseline } from '../../rules/judge/index.ts';
import { addUsage, rescueName, sumCosts } from '../../rules/text/index.ts';
import { needsAtTheEnd } from '../../rules/view/index.ts';
import type { Between, RunContext } from '../context.ts';
import { type End, exitCodeOf } from '../decide.ts';
import { countStories, type StoryCounts } from './status.ts';

/** The results of a run: everything that a person is told at its end. */
export interface RunSummary {
  readonly run: string;
  readonly reason: EndReason;
  readonly exitCode: ExitCodeValue;
  /** One sentence in addition to the reason: the error, the limit …; empty when the reason is enough. */
  readonly detail: string;
  readonly branch: string | null;
  /** There is no backlog: `stories` holds the one pseudo story of a prompt. */
  readonly lonePrompt: boolean;
  readonly counts: StoryCounts;
  readonly stories: readonly StoryOutcome[];
  readonly iterations: number;
  readonly commits: readonly { readonly commit: string; readonly subject: string }[];
  /** What a person has to do or to know now, most urgent first. */
  readonly needs: readonly UserNeed[];
  /** The number of iterations with rolled-back work that is kept. */
  readonly rescues: number;
  readonly costUsd: number | null;
  readonly usage: Usage;
  readonly durationMs: number;
}

/** A story at the end of this run. */
interface StoryOutcome {
  readonly id: string;
  readonly title: string;
  readonly story: Story;
  /** Why it is blocked, why it was approved at the cap …; empty when there is nothing to add. */
  readonly note: string;
  readonly iterations: number;
  readonly costUsd: number | null;
}

/** The message of a run that was ended halfway, where the reason alone is not enough. */
const UNSAID: Readonly<Partial<Record<EndReason, string>>> = {
  stopped: '`ralph stop --now` was called',
};

/** Ends a run: reads the backlog a last time, sums the ledger, and emits `run-end`. */
export async function summarise(context: RunContext, { reason, detail }: End): Promise<RunSummary> {
  const { ledger, run, git, request, record, clock } = context;
  const { document } = await loadOrThrow(context.workspace);
  const { stories } = document.backlog;
  const lines = ledger.filter((line): line is LedgerIteration => line.kind === 'iteration' && line.run === run);
  const counts = countStories(stories);
  const wanted = stories.filter(({ id }) => (request.only ?? request.until ?? id) === id);
  // Without a backlog only the condition says when the run is done; only red checks can contradict it.
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
    costUsd: sumCosts(lines.map(({ costUsd }) => costUsd)),
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
  {
    git,
    ledger,
    record,
    remembered,
    workspace,
  }: Pick<RunContext, 'git' | 'ledger' | 'record' | 'remembered' | 'workspace'>,
  { format, backlog }: BacklogDocument,
  lines: readonly LedgerIteration[],
): Promise<readonly UserNeed[]> {
  // Without a backlog there is one pseudo story, which the end of the run reports anyway.
  const isLone = format === 'prompt';
  return needsAtTheEnd({
    stories: isLone ? [] : backlog.stories,
    open: await openWeakenings({ git, ledger, workspace }),
    accepted: lines.flatMap(({ story, acceptedWeakenings = [] }) =>
      acceptedWeakenings.map((found) => ({ ...found, story })),
    ),
    remembered,
    neverPassed: lines.length === 0 ? [] : [...redAtBaseline(record, greenCommands(record, ledger))],
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
  // A large module, and most runs weaken no tests.
  const { tamperingUnderReview } = await import('../evidence/tampering.ts');
  return toAnswer(await tamperingUnderReview(place, head));
}

function inOneLine({ counts, iterations, lonePrompt }: RunSummary): string {
  const stories = lonePrompt ? '' : `${counts.done} of ${counts.total} stories done, `;
  return `${stories}${iterations} ${iterations === 1 ? 'iteration' : 'iterations'}`;
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
    costUsd: sumCosts(own.map(({ costUsd }) => costUsd)),
  };
}

/** The result of a call of `runLoop`; `used` is what this call added to the ledger. */
export type RunOutcome =
  | { readonly kind: 'ended'; readonly summary: RunSummary; readonly used: TurnUse }
  /** The run is open: the next turn continues it, here or elsewhere. Only if the request asked for a turn. */
  | { readonly kind: 'between'; readonly run: string; readonly outcome: Between; readonly used: TurnUse };

/** What an engine learns about a turn. */
export function reportOf({ used, ...end }: RunOutcome): TurnReport {
  if (end.kind === 'between') return { outcome: end.outcome, used };
  const { reason, exitCode, detail } = end.summary;
  return { outcome: { kind: 'done', reason, exitCode, text: detail }, used };
}
