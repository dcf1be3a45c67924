import { durationOf } from './duration.ts';
import type { RunView } from './model.ts';

/** Where the time of runs went, in milliseconds. */
export interface TimeSpent {
  /** From the first event to the last one; of several runs the sum. */
  readonly totalMs: number;
  /** Of agents, without the checks that they waited for. */
  readonly agentMs: number;
  readonly checkMs: number;
  readonly waitedMs: number;
  /** The rest: the loop's own work. None where lanes worked beside each other. */
  readonly ownMs: number;
}

/** Pure. */
export function timeSpent(views: readonly RunView[]): TimeSpent {
  const sum = (values: readonly number[]) => values.reduce((all, value) => all + value, 0);
  const rows = views.flatMap(({ iterations }) => iterations);
  const before = views.flatMap(({ checks }) => checks.last.filter(({ iteration }) => iteration === 0));
  const totalMs = sum(views.map((view) => durationOf(view, null)));
  const agentMs = sum(rows.map((row) => row.agentMs));
  const checkMs = sum([...rows.map((row) => row.checkMs), ...before.map(({ durationMs }) => durationMs)]);
  const waitedMs = sum(views.map((view) => view.waitedMs));
  return { totalMs, agentMs, checkMs, waitedMs, ownMs: Math.max(0, totalMs - agentMs - checkMs - waitedMs) };
}
