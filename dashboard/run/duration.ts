import type { RunView } from '../../src/rules/view/model.ts';

/**
 * Milliseconds since the run's start.
 * @param now epoch ms while it lives; null when it does not: then up to its last event
 */
export function durationOf(view: RunView, now: number | null): number {
  if (view.startedAt === null) return 0;
  const until = view.ended?.at ?? now ?? view.lastEventAt;
  return Math.max(0, until - view.startedAt);
}

/** Agent starts within the hour before a moment. */
export function callsWithin(view: RunView, moment: number): number {
  return view.calls.filter((call) => call > moment - 3_600_000 && call <= moment).length;
}
