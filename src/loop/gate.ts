import type { EndReason, Overrun, Waiting } from '../contracts/index.ts';
import { crashpoint } from '../platform/index.ts';
import { type Gate, gate } from '../rules/safeguards/index.ts';
import { workersOf } from './agent/candidates.ts';
import type { Between, RunContext } from './context.ts';
import { aliveMs, saveRecord, sharedOf } from './context.ts';

/** How long a wait sleeps at a time: an instruction from outside is noticed within this time. */
export const LISTEN_EVERY_MS = 500;

/**
 * The gate's present answer; `waited` asks the caller to check again, because the situation may have changed meanwhile.
 */
export type Passed =
  /** Only in a turn, where the gate does not wait. */
  | { readonly kind: 'later'; readonly outcome: Between }
  | { readonly kind: 'open'; readonly agent: string; readonly reason: string }
  | { readonly kind: 'waited' }
  | { readonly kind: 'end'; readonly reason: EndReason; readonly text: string; readonly overrun: Overrun | null };

/**
 * Asks the safeguards whether an iteration may start, and waits where they require it. The wait is recorded before it
 * begins: a run killed in the middle of it continues to wait until the same moment when it is started again. A turn
 * does not wait: it ends, and the next one finds the wait recorded.
 * @param agents that may do the iteration, in order of preference
 */
export async function passGate(
  context: RunContext,
  agents = workersOf(context),
  approval: Approval | null = null,
): Promise<Passed> {
  const said = askFor(context, agents, approval);
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
    const next = askFor(context, agents, approval);
    if (next.kind !== 'wait' || isSaid(context, approval !== null)) break;
    // The reason or the moment changed: the wait is announced again.
    if (next.why !== said.why || next.until !== said.until) return { kind: 'waited' };
    const left = next.until === null ? LISTEN_EVERY_MS : next.until - context.clock.now();
    await context.clock.sleep(Math.max(1, Math.min(left, LISTEN_EVERY_MS)), context.signal);
  }
  await endWait(context);
  const last = askFor(context, agents, approval);
  return last === LATE && !isSaid(context, true) ? last : { kind: 'waited' };
}

/** What a run waits for that has nothing else to do: a person's approval of stories. */
export interface Approval {
  readonly until: number;
  readonly text: string;
}

/** With nothing else to do, no limit matters but a spent budget; what a person said comes first. */
function askFor(context: RunContext, agents: ReturnType<typeof workersOf>, approval: Approval | null): Gate {
  const said = ask(context, agents);
  if (approval === null || (said.kind === 'wait' && said.why === 'pause')) return said;
  if (said.kind === 'end' && (said.reason === 'stopped' || said.reason === 'budget')) return said;
  if (approval.until > context.clock.now()) return { kind: 'wait', why: 'approval', ...approval };
  return LATE;
}

const LATE: Extract<Gate, { kind: 'end' }> = {
  ...{ kind: 'end', reason: 'blocked', overrun: null },
  text: 'no approval came in time (`gateTimeout`); the stories stay open until `ralph stories approve ID`',
};

/** Whether a person gave an instruction that may end this wait, or the whole run. */
function isSaid({ steering }: Pick<RunContext, 'steering'>, isForApproval: boolean): boolean {
  const { circuitReset, decisions, additions, edits, waivers, answers } = steering.now();
  // Changes requested in a story may have to wait for its lane; a run that waits for approval has none at work.
  const some = isForApproval ? decisions : decisions.filter(({ decision }) => decision !== 'reject');
  return circuitReset !== null || [some, additions, edits, waivers, answers].some(({ length }) => length > 0);
}

/** The gate's current verdict. */
export function ask(context: RunContext, agents = workersOf(context)): Gate {
  const { config, clock, ledger, run, steering } = context;
  const { paused, stop } = steering.now();
  return gate({
    ledger,
    run,
    now: clock.now(),
    limits: steering.limits(),
    circuit: config.circuit,
    agents: agents.map(({ name }) => name),
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
  // The previous turn announced it.
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
 * Records what the run waits for.
 * @param addMs of finished waits, for the run's lifetime
 */
export async function setWaiting(context: RunContext, waiting: Waiting | null, addMs: number): Promise<void> {
  await saveRecord(context, { waiting, waitedMs: (context.record.waitedMs ?? 0) + addMs });
}
