import { NO_USAGE, VERDICTS } from '../../contracts/index.ts';
import { addUsage, rescueName, sumCosts } from '../../rules/text/index.ts';
import { cacheShareOf, durationOf, type IterationView, type RunView, timeSpent } from '../../rules/view/index.ts';
import {
  agentsOf,
  budgetsOf,
  causeOf,
  checksOf,
  countsOf,
  denialsOf,
  grouped,
  hasFailed,
  modesOf,
  noticesOf,
  rescuesOf,
  reviewFigures,
  storiesOf,
  testsOf,
  withArchivedApart,
} from './figures.ts';
import { renderHtml } from './html.ts';
import { renderMarkdown } from './markdown.ts';
import { REPORT_VERSION, type Report, type ReportExtra, type ReportIteration, type RunLine } from './model.ts';
import { needsOf, outcomeOf } from './outcome.ts';
import { pageOf } from './sections.ts';

export type { ReportExtra } from './model.ts';

/** The formats of a report; the fields of the JSON are those of `Report`. Pure. */
export const FORMATS: Readonly<Record<'html' | 'md' | 'json', (report: Report) => string>> = {
  html: (report) => renderHtml(pageOf(report)),
  md: (report) => renderMarkdown(pageOf(report)),
  json: (report) => `${JSON.stringify(report, null, 2)}\n`,
};

/**
 * The report on one run, or on several of a workspace together. Pure.
 * @param runs at least one, oldest first
 * @throws RangeError without any
 */
export function reportData(runs: readonly RunView[], extra: ReportExtra): Report {
  const { views, archived } = withArchivedApart(runs, extra.archives ?? []);
  const last = views.at(-1);
  if (last === undefined) throw new RangeError('a report needs at least one run');
  const all = views.flatMap(({ iterations }) => iterations);
  const iterations = views.flatMap(({ run, iterations: own }) => own.map((one) => reportIteration(run, one)));
  const stories = storiesOf(views);
  const usage = views.reduce((sum, view) => addUsage(sum, view.usage), NO_USAGE);
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
    ...{ run, iteration, mode, story, title, startedAt, durationMs, verdict, reason, costUsd },
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

/** The view sums up the costs; only the iterations show whether any was reported. */
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

function verdictsOf(iterations: readonly IterationView[]): Report['verdicts'] {
  return VERDICTS.map((verdict) => ({
    verdict,
    count: iterations.filter((one) => one.verdict === verdict).length,
  })).filter(({ count }) => count > 0);
}

function rejectionsOf(iterations: readonly IterationView[]): Report['rejections'] {
  const bad = iterations.flatMap(({ verdict, reason }) =>
    verdict !== null && hasFailed(verdict) ? [{ cause: causeOf(verdict, reason), reason }] : [],
  );
  return [...grouped(bad, ({ cause }) => cause)]
    .map(([cause, own]) => ({ cause, count: own.length, example: own.at(-1)?.reason ?? '' }))
    .toSorted((a, b) => b.count - a.count);
}
