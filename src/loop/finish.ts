import { readRunRecord, writeRunRecord } from '../adapters/workspace/records/run-record.ts';
import type { EndReason } from '../contracts/model.ts';
import type { RunRecord } from '../contracts/state/run-record.ts';
import { crashpoint } from '../platform/crashpoint.ts';
import type { RunContext } from './context.ts';
import type { End } from './decide.ts';
import { reopenLost } from './judge/lost-work.ts';
import type { Between } from './turn.ts';

/**
 * No run ends while a story counts as done whose work is gone: it is reopened, and the run is not complete. Where
 * stories go one after the other, the rounds found that out before; lanes and other ends come here.
 */
export async function withoutLostWork(context: RunContext, end: End): Promise<End> {
  const lost = await reopenLost(context);
  if (lost.length === 0 || end.reason !== 'complete') return end;
  return { reason: 'blocked', detail: `the work of ${lost.join(', ')} is not on the branch any more: to do again` };
}

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
  const { remembered, gone } = context;
  context.record = {
    ...record,
    ...(remembered.length > 0 ? { remembered } : {}),
    ...(gone.length > 0 ? { gone } : {}),
  };
  await writeRunRecord(context.git.repo.stateDir, context.record);
}
