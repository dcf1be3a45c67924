import type { MetricRun } from '../../adapters/notify/metrics.ts';
import { isLive } from '../../rules/view/is-live.ts';
import type { FleetFeed } from './fleet.ts';
import type { OverviewFeed } from './overview.ts';
import type { RunAnswers } from './run-answers.ts';

/** The live runs and the last one of each project, as Prometheus reads them. */
export async function gatherMetrics(
  overview: OverviewFeed,
  runs: Pick<RunAnswers, 'view'>,
  fleet: Pick<FleetFeed, 'look'>,
): Promise<{ readonly type: string; readonly text: string }> {
  const { projects, runs: summaries } = await overview.look();
  const found: MetricRun[] = [];
  for (const project of projects) {
    const own = summaries.filter((summary) => summary.project === project.id);
    const shown = own.filter(({ state }, at) => at === 0 || isLive(state));
    for (const { run, state } of shown) {
      const view = await runs.view({ project, run }).catch(() => null);
      if (view !== null) found.push({ project, state, view });
    }
  }
  // Most dashboards are never asked.
  const { renderMetrics } = await import('../../adapters/notify/metrics.ts');
  return renderMetrics(found, await fleet.look());
}
