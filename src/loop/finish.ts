import { readRunRecord, writeRunRecord } from '../adapters/workspace/records/run-record.ts';
import type { EndReason } from '../contracts/model.ts';
import type { RunRecord } from '../contracts/state/run-record.ts';
import { crashpoint } from '../platform/crashpoint.ts';
import type { RunContext } from './context.ts';
import type { Between } from './turn.ts';

/** Writes down why the run is over: the next start begins another one. */
export async function endRun(context: RunContext, reason: EndReason): Promise<void> {
  await replaceRecord(context, { ...context.record, ended: { reason, at: context.clock.now() } });
}

/**
 * Leaves the run to whoever takes its next turn. A signal may have cut this one short, in order: its iteration is
 * concluded, but something that starts do may be missing, so that the next turn begins as one.
 */
export async function leaveOpen(context: RunContext, outcome: Between): Promise<void> {
  const later = outcome.kind === 'later' ? outcome : { until: null, why: null, text: '' };
  const { until, why, text } = later;
  context.emit(0, { type: 'turn-end', next: outcome.kind, until, why, text });
  const cut = context.signal.aborted ? ({ cutShort: true } as const) : {};
  await replaceRecord(context, { ...context.record, between: context.clock.now(), ...cut });
  crashpoint('turn-ended');
}

/** An error ends the run too, unless it came before this run had a record of its own: then the next start resumes. */
export async function endBadly(context: RunContext, previous: RunRecord | null): Promise<void> {
  const now = await readRunRecord(context.git.repo.stateDir);
  if (now && now.run === context.run && previous?.run !== context.run) await endRun(context, 'error');
}

async function replaceRecord(context: RunContext, record: RunRecord): Promise<void> {
  context.record = record;
  await writeRunRecord(context.git.repo.stateDir, record);
}
