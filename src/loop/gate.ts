import { writeRunRecord } from '../adapters/workspace/records/run-record.ts';
import type { EndReason } from '../contracts/model.ts';
import type { Overrun, Waiting } from '../contracts/state/run-record.ts';
import { crashpoint } from '../platform/crashpoint.ts';
import type { Gate } from '../rules/safeguards/api.ts';
import { gate } from '../rules/safeguards/gate.ts';
import { aliveMs } from './alive.ts';
import type { RunContext } from './context.ts';
import { sharedOf } from './shared.ts';
import type { Between } from './turn.ts';

/** How long a wait sleeps at a time: so soon a word from outside is heard. */
export const LISTEN_EVERY_MS = 500;

/** What the gate says now; `waited` asks to look again, because the world may have changed meanwhile. */
export type Passed =
  /** Only in a turn: nobody waits there. */
  | { readonly kind: 'later'; readonly outcome: Between }
  | { readonly kind: 'open'; readonly agent: string; readonly reason: string }
  | { readonly kind: 'waited' }
  | { readonly kind: 'end'; readonly reason: EndReason; readonly text: string; readonly overrun: Overrun | null };

/**
 * Asks the safeguards whether an iteration may start, and waits where they say so. The wait is written down before it
 * begins: a run that is killed in the middle of it goes on waiting, for the same moment, when it is started again. A
 * turn does not wait: it ends, and the next one finds the wait written down.
 */
export async function passGate(context: RunContext): Promise<Passed> {
  const said = ask(context);
  if (said.kind !== 'wait') {
    await endWait(context);
    return said;
  }
  await beginWait(context, said);
  if (context.request.turn) {
    const { why, until, text } = said;
    return { kind: 'later', outcome: { kind: 'later', until, why, text, all: why === 'limit' } };
  }
  while (!context.signal.aborted) {
    await context.steering.refresh();
    const next = ask(context);
    if (next.kind !== 'wait' || isSaid(context)) break;
    // Another reason, or a moment that was moved: the wait is announced anew.
    if (next.why !== said.why || next.until !== said.until) return { kind: 'waited' };
    const left = next.until === null ? LISTEN_EVERY_MS : next.until - context.clock.now();
    await context.clock.sleep(Math.max(1, Math.min(left, LISTEN_EVERY_MS)), context.signal);
  }
  await endWait(context);
  return { kind: 'waited' };
}

/** Whether a person said something that may make this wait, or the whole rest of the run, needless. */
function isSaid({ steering }: RunContext): boolean {
  const { circuitReset, decisions, additions, waivers } = steering.now();
  return circuitReset !== null || decisions.length + additions.length + waivers.length > 0;
}

/** The verdict of the gate as of now. */
export function ask(context: RunContext): Gate {
  const { config, clock, ledger, run, steering } = context;
  const { paused, stop } = steering.now();
  return gate({
    ledger,
    run,
    now: clock.now(),
    limits: steering.limits(),
    circuit: config.circuit,
    agents: context.agents.map(({ name }) => name),
    onUsageLimit: config.onUsageLimit,
    maxWaitMs: config.transient.maxWaitMs,
    aliveMs: aliveMs(context),
    shared: sharedOf(context),
    paused,
    stopAsked: stop !== null,
  });
}

async function beginWait(context: RunContext, { why, until, text }: Extract<Gate, { kind: 'wait' }>): Promise<void> {
  const before = context.record.waiting;
  const isSame = before?.why === why && before.until === until;
  // The turn before announced it.
  if (isSame && context.continues) return;
  if (before && !isSame) await endWait(context);
  const since = isSame ? before.since : context.clock.now();
  await setWaiting(context, { why, since, until }, 0);
  context.emit(0, { type: 'wait', why, until, text });
  crashpoint('waiting');
}

async function endWait(context: RunContext): Promise<void> {
  const { waiting } = context.record;
  if (!waiting) return;
  const end = Math.min(context.clock.now(), waiting.until ?? Number.POSITIVE_INFINITY);
  const waitedMs = Math.max(0, end - waiting.since);
  await setWaiting(context, null, waitedMs);
  context.emit(0, { type: 'wait-end', why: waiting.why, waitedMs });
}

/**
 * Writes down what the run waits for.
 * @param addMs of waits that are over, for the life of the run
 */
export async function setWaiting(context: RunContext, waiting: Waiting | null, addMs: number): Promise<void> {
  context.record = { ...context.record, waiting, waitedMs: (context.record.waitedMs ?? 0) + addMs };
  await writeRunRecord(context.git.repo.stateDir, context.record);
}
