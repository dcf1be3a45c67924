import { signal } from '@preact/signals';
import type { Fleet } from '../../src/surfaces/dashboard/api.ts';
import { getJson } from '../api.ts';

/** What the engine of a fleet says; null where there is none to show, or nothing is known yet. */
export const fleet = signal<Fleet | null>(null);

const EVERY_MS = 2000;

/** Asks for the fleet again and again, where the dashboard has one; the result ends that. */
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
      // That the server does not answer is told by the stream of runs.
    }
    if (!stopped.signal.aborted) timer = setTimeout(look, EVERY_MS);
  };
  void look();
  return () => {
    stopped.abort();
    clearTimeout(timer);
  };
}
