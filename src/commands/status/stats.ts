import type { Git } from '../../adapters/git/index.ts';
import { headlinesOf, listRuns, readDocument, readLedger, type Workspace } from '../../adapters/workspace/index.ts';
import { type Receipt, readReceipts } from '../../rules/backlog/index.ts';
import { counted, dollars, elapsed, oneLine, tokens } from '../../rules/text/index.ts';
import { type ModeStats, type RunView, type Stats, type StoryStats, statsOf } from '../../rules/view/index.ts';
import { type Column, type Io, type Paint, paintFor, renderColumns } from '../../surfaces/terminal/index.ts';
import type { RawFlags } from '../shared/flags.ts';
import { printResult } from '../shared/print.ts';

/** Causes shown; a workspace may have as many as iterations. */
const MOST_CAUSES = 8;

/** Stories shown, the most expensive ones. */
const MOST_STORIES = 10;

export async function statusStats(git: Git, workspace: Workspace, flags: RawFlags, io: Io): Promise<number> {
  const { root, stateDir } = git.repo;
  const ledger = await readLedger(stateDir);
  const views: RunView[] = [];
  for (const run of await listRuns(root)) {
    // An unreadable log, such as one of a later version, is left out; the rest is shown.
    const view = await headlinesOf(root, run).catch(() => null);
    if (view !== null) views.push(view);
  }
  const stats = statsOf(ledger, views, await receiptsIn(workspace));
  return printResult(io, flags, stats, renderStats(stats, paintFor(io), io.columns));
}

/** Unreadable review state is left out; the rest is shown. */
async function receiptsIn(workspace: Workspace): Promise<readonly Receipt[]> {
  const { document } = await readDocument(workspace).catch(() => ({ document: null }));
  return readReceipts(document?.reviewsText ?? null);
}

const STORY_COLUMNS: readonly Column<StoryStats>[] = [
  { title: 'story', text: ({ story }) => oneLine(story), flexible: true },
  { title: 'iterations', text: ({ iterations }) => String(iterations), align: 'right' },
  { title: 'rejected', text: ({ rejected }) => String(rejected), align: 'right' },
  { title: 'reviews', text: ({ reviews }) => String(reviews), align: 'right' },
  { title: 'time', text: ({ durationMs }) => elapsed(durationMs), align: 'right' },
  { title: 'cost', text: ({ costUsd }) => dollars(costUsd), align: 'right' },
];

const COLUMNS: readonly Column<ModeStats>[] = [
  { title: 'mode', text: ({ mode }) => mode },
  { title: 'iterations', text: ({ iterations }) => String(iterations), align: 'right' },
  { title: 'mean time', text: ({ meanMs }) => elapsed(meanMs), align: 'right' },
  { title: 'mean cost', text: ({ meanCostUsd }) => dollars(meanCostUsd), align: 'right' },
  { title: 'added tokens', text: ({ meanAdded }) => (meanAdded === null ? '-' : tokens(meanAdded)), align: 'right' },
];

function renderStats(stats: Stats, paint: Paint, columns: number): readonly string[] {
  if (stats.iterations === 0) return ['no iterations yet'];
  const { reviews, usage, tests } = stats;
  const row = (label: string, text: string) => `${paint('dim', label.padEnd(12))}${text}`;
  const verdicts = Object.entries(stats.verdicts).map(([verdict, count]) => `${count} ${verdict}`);
  const causes = stats.rejections.slice(0, MOST_CAUSES).map(({ cause, count }) => `${count} × ${oneLine(cause)}`);
  const all = usage.inputTokens + usage.outputTokens + usage.cacheReadTokens + usage.cacheWriteTokens;
  const cached = stats.cacheShare === null ? '' : ` · ${percent(stats.cacheShare)} of the input from the cache`;
  return [
    row('runs', `${stats.runs} · ${counted(stats.iterations, 'iteration')}`),
    row('verdicts', verdicts.join(' · ')),
    '',
    ...renderColumns(COLUMNS, stats.modes, columns, paint),
    '',
    ...renderColumns(STORY_COLUMNS, stats.stories.slice(0, MOST_STORIES), columns, paint),
    ...(stats.stories.length > MOST_STORIES ? [`and ${stats.stories.length - MOST_STORIES} cheaper ones`] : []),
    '',
    row('stories', `${stats.storiesDone} done`),
    ...(reviews.perStory === null
      ? []
      : [
          row(
            'reviews',
            `${percent(reviews.approvedAtFirst / reviews.stories)} approved at first · ${reviews.perStory.toFixed(1)} per story`,
          ),
          row('', reviews.distribution.map(({ reviews: n, stories }) => `${stories} with ${n}`).join(' · ')),
          ...(reviews.capHits > 0 ? [row('', `the review cap decided for ${reviews.capHits}`)] : []),
        ]),
    ...causes.map((cause, i) => row(i === 0 ? 'rejected' : '', cause)),
    ...(stats.rejections.length > MOST_CAUSES ? [row('', `and ${stats.rejections.length - MOST_CAUSES} more`)] : []),
    row('rolled back', counted(stats.rollbacks, 'time')),
    ...timeRows(stats.time).map((text, i) => row(i === 0 ? 'time' : '', text)),
    ...(tests.runs > 0
      ? [row('tests', `agents reported ${counted(tests.runs, 'run')}: ${tests.passed} passed, ${tests.failed} failed`)]
      : []),
    row('tokens', `${tokens(all)}${cached}`),
    row('cost', `${dollars(stats.costUsd)} · ${dollars(stats.costPerDoneStory)} per done story`),
  ];
}

function timeRows({ agentMs, checkMs, waitedMs, ownMs }: Stats['time']): readonly string[] {
  const all = agentMs + checkMs + waitedMs + ownMs;
  if (all === 0) return [];
  const parts = [['agents', agentMs] as const, ['checks', checkMs] as const, ['waits', waitedMs] as const];
  return [...parts, ['ralph itself', ownMs] as const]
    .filter(([, ms]) => ms > 0)
    .map(([name, ms]) => {
      const bar = '█'.repeat(Math.max(1, Math.round((BAR * ms) / all)));
      return `${name.padEnd(13)}${elapsed(ms).padStart(7)} ${percent(ms / all).padStart(4)} ${bar}`;
    });
}

const BAR = 40;

function percent(share: number): string {
  return `${Math.round(share * 100)}%`;
}
