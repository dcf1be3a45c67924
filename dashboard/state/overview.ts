import { signal } from '@preact/signals';
import { isLive as isLiveState } from '../../src/rules/view/index.ts';
import type { Fleet, Overview, RunSummary } from '../../src/surfaces/dashboard/index.ts';
import { getJson, Refused } from '../api.ts';
import { announce } from './page.ts';
import { openStream } from './stream.ts';

/** All runs of this machine; null until they are read. */
export const overview = signal<Overview | null>(null);
export const overviewProblem = signal<Refused | null>(null);

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
  // The end of a turn is not news: the next one follows.
  return after.filter((run) => !isLive(run) && run.state !== 'between' && live.has(keyOf(run)));
}

/** Whether a process works on it, or waits. */
export function isLive(run: Pick<RunSummary, 'state'>): boolean {
  return isLiveState(run.state);
}

/** Whether no later run of its project is known: only the stories of the last one are current. */
export function isLatest(project: string, run: string): boolean {
  // Names of runs begin with the time of their start.
  return !(overview.value?.runs ?? []).some((one) => one.project === project && one.run > run);
}

function keyOf(run: RunSummary): string {
  return `${run.project}/${run.run}`;
}

/** The engine's view of the fleet; null where there is none to show, or nothing is known yet. */
export const fleet = signal<Fleet | null>(null);

const EVERY_MS = 2000;

/** Polls the fleet, where the dashboard has one; the result ends that. */
export function followFleet(): () => void {
  const stopped = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const look = async () => {
    try {
      if (!document.hidden) {
        fleet.value = await getJson<Fleet | null>('/api/fleet', stopped.signal);
        if (fleet.value === null) return;
      }
    } catch {
      // The stream of runs reports an unreachable server.
    }
    if (!stopped.signal.aborted) timer = setTimeout(look, EVERY_MS);
  };
  void look();
  return () => {
    stopped.abort();
    clearTimeout(timer);
  };
}
