import type { Verdict } from '../../contracts/model.ts';
import { STATUS_VERSION, type StatusFile } from '../../contracts/state/status-file.ts';
import type { RunView } from './model.ts';

/** What `.ralph/status.json` says of a run. */
export function statusOf(view: RunView): StatusFile {
  const { now, ended } = view;
  const { phase, iteration, mode, agent, tool, waiting } = now;
  return {
    version: STATUS_VERSION,
    run: view.run,
    updatedAt: iso(view.lastEventAt),
    state: ended !== null ? 'ended' : view.betweenSince === null ? 'running' : 'between',
    startedAt: view.startedAt === null ? null : iso(view.startedAt),
    pid: view.pid,
    phase,
    iteration,
    used: view.used,
    maxIterations: view.maxIterations,
    mode,
    story: now.story === null ? null : { id: now.story, title: now.title ?? '' },
    agent,
    tool: tool && { name: tool.name, what: tool.what },
    contextPercent: now.context?.percent ?? null,
    waiting: waiting && { ...waiting, until: waiting.until === null ? null : iso(waiting.until) },
    breaker: view.breaker.state,
    lastVerdict: view.iterations.findLast(({ verdict }) => verdict !== null)?.verdict ?? null,
    verdicts: countVerdicts(view),
    stories: view.storyCounts,
    costUsd: view.costUsd,
    ended: ended && { reason: ended.reason, exitCode: ended.exitCode, summary: ended.summary },
  };
}

function countVerdicts({ iterations }: RunView): StatusFile['verdicts'] {
  const counts: Partial<Record<Verdict, number>> = {};
  for (const { verdict } of iterations) if (verdict !== null) counts[verdict] = (counts[verdict] ?? 0) + 1;
  return counts;
}

function iso(time: number): string {
  return new Date(time).toISOString();
}
