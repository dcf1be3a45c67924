import type { LedgerLine } from '../../contracts/state/ledger.ts';
import type { RunRecord } from '../../contracts/state/run-record.ts';

/**
 * How long a run has lived, milliseconds: its iterations that ended, its waits, and the one it is in. The time in which
 * it was dead does not count, so that a run which is resumed in the morning does not find its budget spent.
 * @param now epoch ms of a live run; null for one that was cut off: its clock stands still
 */
export function livedMs(
  { run, waiting, waitedMs = 0 }: Pick<RunRecord, 'run' | 'waiting' | 'waitedMs'>,
  ledger: readonly LedgerLine[],
  now: number | null,
): number {
  const worked = ledger.reduce(
    (sum, line) => (line.kind === 'iteration' && line.run === run ? sum + line.durationMs : sum),
    0,
  );
  if (!waiting || now === null) return worked + waitedMs;
  // What comes after the end of a wait is no wait: nobody was there to see it end.
  const seen = Math.min(now, waiting.until ?? now);
  return worked + waitedMs + Math.max(0, seen - waiting.since);
}
