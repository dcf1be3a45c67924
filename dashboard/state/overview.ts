import { signal } from '@preact/signals';
import { isLive as isLiveState } from '../../src/rules/view/is-live.ts';
import type { Overview, RunSummary } from '../../src/surfaces/dashboard/api.ts';
import { getJson, Refused } from '../api.ts';
import { announce } from './announce.ts';
import { openStream } from './stream.ts';

/** All runs of this machine; null until they were read. */
export const overview = signal<Overview | null>(null);
/** Why they cannot be shown. */
export const overviewProblem = signal<Refused | null>(null);

/** Reads and follows the overview; the result ends that. */
export function followOverview(): () => void {
  const stopped = new AbortController();
  const load = () =>
    getJson<Overview>('/api/overview', stopped.signal).then(take, (problem: unknown) => {
      if (problem instanceof Refused && overview.value === null) overviewProblem.value = problem;
    });
  load();
  const stream = openStream({
    address: () => '/api/overview/stream',
    messages: { overview: (message) => take(JSON.parse(message.data)) },
  });
  return () => {
    stopped.abort();
    stream.close();
  };
}

function take(next: Overview): void {
  const ended = newlyEnded(overview.value?.runs ?? [], next.runs);
  overview.value = next;
  overviewProblem.value = null;
  const [first] = ended;
  if (first !== undefined) announce(`Run ${first.run} ended: ${first.ended?.summary ?? first.state}`);
}

function newlyEnded(before: readonly RunSummary[], after: readonly RunSummary[]): readonly RunSummary[] {
  const live = new Set(before.filter(isLive).map(keyOf));
  // That a turn is over is no news: the next one follows.
  return after.filter((run) => !isLive(run) && run.state !== 'between' && live.has(keyOf(run)));
}

/** Whether a process works on it, or waits. */
export function isLive(run: Pick<RunSummary, 'state'>): boolean {
  return isLiveState(run.state);
}

/** Whether no later run of its project is known: only the stories of the last one are those of today. */
export function isLatest(project: string, run: string): boolean {
  // Names of runs begin with the time of their start.
  return !(overview.value?.runs ?? []).some((one) => one.project === project && one.run > run);
}

function keyOf(run: RunSummary): string {
  return `${run.project}/${run.run}`;
}
