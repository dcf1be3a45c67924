import type { Verdict } from '../../contracts/model.ts';
import { rescueName } from '../../rules/rescue-name.ts';
import { durationOf } from '../../rules/view/duration.ts';
import type { IterationView, RunView } from '../../rules/view/model.ts';
import { timeSpent } from '../../rules/view/time-spent.ts';
import { withArchivedApart } from './archived.ts';
import { cameToNothing, causeOf } from './causes.ts';
import { checksOf, denialsOf, noticesOf, testsOf } from './figures/kept.ts';
import { needsOf, outcomeOf } from './figures/outcome.ts';
import { rescuesOf } from './figures/rescues.ts';
import { reviewFigures } from './figures/reviews.ts';
import { countsOf, storiesOf, sumCosts } from './figures/stories.ts';
import { agentsOf, budgetsOf, cacheShareOf, modesOf, usageOf } from './figures/usage.ts';
import { grouped } from './grouped.ts';
import {
  REPORT_VERSION,
  type Rejection,
  type Report,
  type ReportExtra,
  type ReportIteration,
  type RunLine,
} from './model.ts';

/**
 * The report on one run, or on several of a workspace together. Pure.
 * @param runs at least one, oldest first
 * @throws RangeError without any
 */
export function reportData(runs: readonly RunView[], extra: ReportExtra): Report {
  const { views, archived } = withArchivedApart(runs, extra.archives ?? []);
  const last = views.at(-1);
  if (last === undefined) throw new RangeError('a report is on one run at least');
  const all = views.flatMap(({ iterations }) => iterations);
  const iterations = views.flatMap(({ run, iterations: own }) => own.map((one) => reportIteration(run, one)));
  const stories = storiesOf(views);
  const usage = usageOf(views);
  const figures = { storyCounts: countsOf(views), iterations, time: timeOf(views), costUsd: costOf(views) };
  return {
    version: REPORT_VERSION,
    generatedAt: extra.generatedAt,
    ralph: extra.version,
    project: extra.project,
    runs: views.map(runLine),
    outcome: outcomeOf(views, extra.live, figures),
    branch: last.branch,
    isolation: last.isolation,
    ...figures,
    usage,
    cacheShare: cacheShareOf(usage),
    stories,
    verdicts: verdictsOf(all),
    modes: modesOf(all),
    reviews: reviewFigures(views),
    rejections: rejectionsOf(all),
    rescues: rescuesOf(views, extra.rescues),
    budgets: views.length === 1 ? budgetsOf(last) : [],
    agents: agentsOf(all),
    checks: checksOf(views),
    tests: testsOf(views),
    denials: denialsOf(views),
    notices: noticesOf(views),
    needs: needsOf(
      stories.filter(({ id }) => !archived.has(id)),
      last,
      extra.live,
    ),
  };
}

function reportIteration(run: string, view: IterationView): ReportIteration {
  const { iteration, mode, story, title, startedAt, durationMs, verdict, reason, costUsd, commit, rescue } = view;
  return {
    run,
    iteration,
    mode,
    story,
    title,
    startedAt,
    durationMs,
    verdict,
    reason,
    costUsd,
    commit: commit?.id ?? null,
    rescue: rescue === null ? null : rescueName(rescue),
  };
}

function runLine(view: RunView): RunLine {
  const { run, startedAt, ended, iterations, storyCounts, lonePrompt } = view;
  return {
    run,
    startedAt,
    reason: ended?.reason ?? null,
    exitCode: ended?.exitCode ?? null,
    iterations: iterations.length,
    storiesDone: lonePrompt ? 0 : storyCounts.done,
    storiesTotal: lonePrompt ? 0 : storyCounts.total,
    durationMs: durationOf(view, null),
    costUsd: costOf([view]),
  };
}

/** The view adds up what was told; whether anybody told anything only the iterations know. */
function costOf(views: readonly RunView[]): number | null {
  return sumCosts(
    views.map(({ costUsd, iterations }) =>
      costUsd > 0 || iterations.some((one) => one.costUsd !== null) ? costUsd : null,
    ),
  );
}

function timeOf(views: readonly RunView[]): Report['time'] {
  const [first] = views.flatMap(({ iterations }) => iterations);
  return {
    from: views[0]?.startedAt ?? first?.startedAt ?? null,
    to: views.at(-1)?.lastEventAt ?? null,
    ...timeSpent(views),
  };
}

const VERDICTS: readonly Verdict[] = [
  'accepted',
  'advanced',
  'rejected',
  'no-progress',
  'timed-out',
  'agent-error',
  'interrupted',
  'limited',
];

function verdictsOf(iterations: readonly IterationView[]): Report['verdicts'] {
  return VERDICTS.map((verdict) => ({
    verdict,
    count: iterations.filter((one) => one.verdict === verdict).length,
  })).filter(({ count }) => count > 0);
}

function rejectionsOf(iterations: readonly IterationView[]): readonly Rejection[] {
  const bad = iterations.flatMap(({ verdict, reason }) =>
    verdict !== null && cameToNothing(verdict) ? [{ cause: causeOf(verdict, reason), reason }] : [],
  );
  return [...grouped(bad, ({ cause }) => cause)]
    .map(([cause, own]) => ({ cause, count: own.length, example: own.at(-1)?.reason ?? '' }))
    .toSorted((a, b) => b.count - a.count);
}
