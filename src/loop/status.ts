import { writeStatus } from '../adapters/workspace/status-file.ts';
import type { RalphEvent } from '../contracts/events.ts';
import type { StatusFile } from '../contracts/state.ts';
import { sumDollars } from '../rules/amounts.ts';

/** What `.ralph/status.json` says after an event: a fold, so that it can be rebuilt from the log. */
export function foldStatus(status: StatusFile, event: RalphEvent): StatusFile {
  const updated = { ...status, updatedAt: event.ts };
  switch (event.type) {
    case 'run-start':
      return { ...updated, stories: event.stories, maxIterations: event.maxIterations };
    case 'select':
      return {
        ...updated,
        iteration: event.iteration,
        mode: event.mode,
        story: { id: event.story, title: event.title },
      };
    case 'verdict':
      return { ...updated, lastVerdict: event.verdict };
    case 'story': {
      const done = status.stories.done + (event.to === 'approved' || event.to === 'done' ? 1 : 0);
      const blocked = status.stories.blocked + (event.to === 'blocked' ? 1 : 0);
      return { ...updated, stories: { ...status.stories, done, blocked } };
    }
    case 'iteration-end':
      return { ...updated, costUsd: sumDollars([status.costUsd, event.costUsd ?? 0]), mode: null, story: null };
    case 'run-end': {
      const { reason, exitCode, summary, stories, costUsd } = event;
      return { ...updated, state: 'ended', stories, costUsd, ended: { reason, exitCode, summary } };
    }
    default:
      return status;
  }
}

/** The status before anything happened. */
export function freshStatus(run: string, maxIterations: number, now: number): StatusFile {
  return {
    version: 1,
    run,
    updatedAt: new Date(now).toISOString(),
    state: 'running',
    iteration: 0,
    maxIterations,
    mode: null,
    story: null,
    lastVerdict: null,
    stories: { total: 0, done: 0, blocked: 0 },
    costUsd: 0,
    ended: null,
  };
}

/** Keeps the file up to date at the events a glance cares about. A failing write is no reason to stop a run. */
export function followStatus(
  root: string,
  first: StatusFile,
): { see: (event: RalphEvent) => void; settled: () => Promise<void> } {
  let status = first;
  let writing: Promise<void> = Promise.resolve();
  return {
    see(event) {
      const next = foldStatus(status, event);
      if (next === status) return;
      status = next;
      if (
        event.type !== 'run-start' &&
        event.type !== 'select' &&
        event.type !== 'iteration-end' &&
        event.type !== 'run-end'
      )
        return;
      writing = writing.then(() => writeStatus(root, next)).catch(() => undefined);
    },
    settled: () => writing,
  };
}
