import type { Verdict, Violation } from '../../contracts/model.ts';
import type { FailureContext, LedgerIteration, LedgerLine } from '../../contracts/state/ledger.ts';
import { ADVANCED_FREE } from './verdict.ts';

/**
 * Attempts a story has spent: its failed iterations in any mode since its review state last changed or a person reset
 * it; `advanced` counts from the third in a row. Interrupted and limited iterations neither count nor end a row.
 */
export function attemptsOf(ledger: readonly LedgerLine[], story: string): number {
  return fold(ledger, story).attempts;
}

/** `advanced` verdicts of the story in a row, up to now. */
export function advancedInRow(ledger: readonly LedgerLine[], story: string): number {
  return fold(ledger, story).row;
}

/** Whether an iteration ended for reasons outside the story: it spends nothing. */
export function isIgnored(verdict: Verdict): boolean {
  return verdict === 'interrupted' || verdict === 'limited';
}

function fold(ledger: readonly LedgerLine[], story: string): { readonly attempts: number; readonly row: number } {
  let attempts = 0;
  let row = 0;
  for (const line of ledger) {
    if ((line.kind !== 'iteration' && line.kind !== 'reset') || line.story !== story) continue;
    if (line.kind === 'reset' || line.stateChanged) {
      attempts = 0;
      row = 0;
    } else if (!isIgnored(line.verdict)) {
      row = line.verdict === 'advanced' ? row + 1 : 0;
      const failed = line.verdict !== 'advanced' && line.verdict !== 'accepted' && line.uncharged !== true;
      if (failed || row > ADVANCED_FREE) attempts += 1;
    }
  }
  return { attempts, row };
}

/**
 * What the next prompt of a story must say about how the last iteration failed; null when there is nothing to say.
 * An interruption names its rescue and keeps the failure before it alive; progress and a changed review state end it.
 */
export function lastFailure(ledger: readonly LedgerLine[], story: string): FailureContext | null {
  let failure: FailureContext | null = null;
  for (const line of ledger) {
    if ((line.kind !== 'iteration' && line.kind !== 'reset') || line.story !== story) continue;
    if (line.kind === 'reset') failure = null;
    else if (isIgnored(line.verdict)) failure = withInterruption(failure, line);
    else failure = line.failure ?? rescued(line);
  }
  return failure;
}

function rescued({ reason, rescue, stateChanged }: LedgerIteration): FailureContext | null {
  return rescue === null || stateChanged ? null : { reason, checks: [], rescue, diffStat: null };
}

function withInterruption(earlier: FailureContext | null, line: LedgerIteration): FailureContext | null {
  const latest = line.failure ?? rescued(line);
  if (earlier === null || latest === null) return latest ?? earlier;
  return {
    reason: `${latest.reason}. Before that: ${earlier.reason}`,
    checks: earlier.checks,
    rescue: latest.rescue ?? earlier.rescue,
    diffStat: latest.rescue === null ? earlier.diffStat : latest.diffStat,
  };
}

/** Rules broken in the story's last iteration that was not cut short; the next prompt tells them once. */
export function lastViolations(ledger: readonly LedgerLine[], story: string): readonly Violation[] {
  const last = ledger.findLast((line) => line.kind === 'iteration' && line.story === story && !isIgnored(line.verdict));
  return last?.kind === 'iteration' ? last.violations : [];
}

/** Iterations of a run that count against its limit. */
export function iterationsUsed(ledger: readonly LedgerLine[], run: string): number {
  return ledger.filter((line) => line.kind === 'iteration' && line.run === run && !isIgnored(line.verdict)).length;
}
