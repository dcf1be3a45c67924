import type { RunState } from '../../contracts/catalogue.ts';

/** Whether a process works on the run, or waits in it; of one between two turns nobody does. */
export function isLive(state: RunState | null): boolean {
  return state === 'running' || state === 'waiting' || state === 'paused';
}
