import type { RunView } from './model.ts';

/**
 * Milliseconds that a run took so far: from its start, without the times between turns, in which nobody worked on it.
 * @param now epoch ms while somebody works on it; null when nobody does: then up to its last event
 */
export function durationOf(
  { startedAt, ended, betweenSince, betweenMs, lastEventAt }: RunView,
  now: number | null,
): number {
  if (startedAt === null) return 0;
  const until = ended?.at ?? betweenSince ?? now ?? lastEventAt;
  return Math.max(0, until - startedAt - betweenMs);
}
