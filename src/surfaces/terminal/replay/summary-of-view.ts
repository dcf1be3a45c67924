import type { RunView } from '../../../rules/view/model.ts';
import type { Event } from '../lines/page.ts';
import type { SummaryView } from '../summary.ts';

/** What a run said at its end, out of its events. Pure. */
export function summaryOfView(view: RunView, end: Event<'run-end'>): SummaryView {
  const { run, branch, lonePrompt } = view;
  const concluded = view.iterations.filter(({ verdict }) => verdict !== null);
  const toldCost = new Set(concluded.flatMap(({ story, costUsd }) => (costUsd === null ? [] : [story])));
  return {
    run,
    reason: end.reason,
    exitCode: end.exitCode,
    detail: end.detail ?? '',
    durationMs: end.durationMs,
    iterations: concluded.length,
    // The event says 0 as well where no agent told what it cost.
    costUsd: toldCost.size === 0 ? null : end.costUsd,
    usage: end.usage,
    branch,
    lonePrompt,
    stories: view.stories.map(({ id, title, state, blocked, iterations, costUsd }) => ({
      id,
      title,
      state,
      ...(blocked === null ? {} : { note: blocked }),
      iterations,
      costUsd: toldCost.has(id) ? costUsd : null,
    })),
    commits: concluded.flatMap(({ commit }) => (commit ? [{ commit: commit.id, subject: commit.subject }] : [])),
    needs: end.needs ?? [],
    rescues: concluded.filter(({ rescue }) => rescue !== null).length,
  };
}
