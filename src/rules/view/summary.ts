import type { RunState, RunSummary } from '../../contracts/catalogue.ts';
import type { RunView } from './model.ts';
import { needsOf } from './needs.ts';

/** A run in one line. */
export function summaryOf(view: RunView, project: string, state: RunState): RunSummary {
  const { run, startedAt, lastEventAt, now, maxIterations, storyCounts: stories, costUsd, agent, branch, ended } = view;
  const current = view.iterations.findLast(({ iteration }) => iteration === now.iteration);
  return {
    project,
    run,
    state,
    startedAt,
    lastEventAt: lastEventAt === 0 ? null : lastEventAt,
    iteration: now.iteration,
    maxIterations,
    mode: now.mode,
    story: now.story === null ? null : { id: now.story, title: now.title ?? '' },
    waiting: now.waiting && { why: now.waiting.why, until: now.waiting.until },
    lastVerdict: view.iterations.findLast(({ verdict }) => verdict !== null)?.verdict ?? null,
    stories,
    costUsd,
    agent: current?.agent ?? agent,
    branch,
    ended: ended && { reason: ended.reason, exitCode: ended.exitCode, summary: ended.summary },
    needs: needsOf(view, state),
    problem: null,
  };
}
