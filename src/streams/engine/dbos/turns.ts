import type { DBOSClient } from '@dbos-inc/dbos-sdk';
import { messageOf, type StopReason } from '../../../contracts/index.ts';
import { oneAtATime, systemClock } from '../../../platform/index.ts';
import { GivenBack, restMs, type TakeTurn } from '../port.ts';
import { type Admission, type Applicant, admit } from './admit.ts';
import { type Database, NOW, patiently } from './database.ts';
import { type Dispatch, dispatchAgain, dispatchOf, recordTurn, type TurnResult, workflowId } from './dispatch.ts';

/** The maximum of a Node timer. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;
/** How often at least a turn held back by a limit is requested. */
const ASK_MS = 1_000;

interface TurnsInput {
  readonly db: Database;
  readonly queue: DBOSClient;
  readonly take: TakeTurn;
  readonly applicant: Omit<Applicant, 'waiting'>;
  readonly timeoutMs: number | null;
  /** Between two checks whether a limit lets a turn begin. */
  readonly pollMs: number;
  /** Pauses before the next attempts of a turn that threw; then the last one repeats. Milliseconds. */
  readonly retryPausesMs: readonly number[];
  /** Once aborted, no turn begins. */
  readonly draining: AbortSignal;
  /** Once aborted, active turns end at once. */
  readonly closing: AbortSignal;
}

/** Turns that the queue has handed to this worker. */
export type Turns = ReturnType<typeof openTurns>;

export function openTurns(input: TurnsInput) {
  const { db, queue, closing } = input;
  const known = new Map<string, Promise<void>>();
  const underWay = new Map<string, AbortController>();
  const admitNext = oneAtATime();
  const waiting = () => [...known.keys()].filter((id) => !underWay.has(id)).map((id) => dispatchOf(id).stream);
  const applicant: Applicant = { ...input.applicant, waiting };
  const pause = openPause(db, applicant.executor);

  const handle = async (dispatch: Dispatch) => {
    const admission = await patiently(() => admitNext(() => waitForAdmission(input, dispatch)), closing);
    if (admission.kind === 'wait') return giveBack(dispatch);
    if (admission.kind === 'past') return;
    const stop = new AbortController();
    underWay.set(workflowId(dispatch), stop);
    try {
      const result = await takeTurn(input, admission.turn, stop, pause);
      if (!('report' in result) && closing.aborted) await giveBack(dispatch);
      else await patiently(() => recordTurn(db, queue, dispatch, result), closing);
    } finally {
      underWay.delete(workflowId(dispatch));
    }
  };
  const giveBack = (dispatch: Dispatch) =>
    patiently(() => dispatchAgain(db, queue, dispatch, { text: '', counts: false }), closing).then(() => undefined);

  return {
    /** Takes one, from its admission until its result is recorded. Never throws. */
    async run(dispatch: Dispatch): Promise<void> {
      const id = workflowId(dispatch);
      if (known.has(id)) return;
      // When the database refuses permanently nothing more can be done here: the watchdogs take over.
      const running = handle(dispatch).catch(() => undefined);
      known.set(id, running);
      await running;
      known.delete(id);
    },
    /** Ids of waiting and active turns. */
    known: (): ReadonlySet<string> => new Set(known.keys()),
    /** Ids of active turns. */
    underWay: () => [...underWay.keys()],
    /** Ends the active ones among them: they were given to others, or cancelled. */
    stop(ids: readonly string[]): void {
      for (const id of ids) underWay.get(id)?.abort('stopped' satisfies StopReason);
    },
    /** Resolves when none is left. */
    async settled() {
      while (known.size > 0) await Promise.all(known.values());
    },
  };

  /** Only the first in line asks, so the database gets one request per worker, not one per turn. */
  async function waitForAdmission(of: TurnsInput, dispatch: Dispatch): Promise<Admission> {
    for (;;) {
      if (of.draining.aborted || closing.aborted || pause.isOn()) return { kind: 'wait' };
      const admission = await admit(db, dispatch, applicant);
      if (admission.kind !== 'wait') return admission;
      await systemClock.sleep(Math.min(of.pollMs, ASK_MS), of.draining);
    }
  }
}

async function takeTurn(
  { take, timeoutMs, closing, applicant, retryPausesMs }: TurnsInput,
  turn: Extract<Admission, { kind: 'begin' }>['turn'],
  stop: AbortController,
  pause: Pause,
): Promise<TurnResult> {
  const end = () => stop.abort('terminated' satisfies StopReason);
  if (closing.aborted) end();
  closing.addEventListener('abort', end);
  const timer =
    timeoutMs === null
      ? undefined
      : setTimeout(() => stop.abort('timeout' satisfies StopReason), Math.min(timeoutMs, LONGEST_TIMER_MS));
  try {
    const report = await take({ ...turn, signal: stop.signal });
    pause.end();
    return { report };
  } catch (error) {
    const failure = messageOf(error);
    if (!(error instanceof GivenBack)) {
      const pauseMs = retryPausesMs[turn.attempt - 1] ?? retryPausesMs.at(-1) ?? 0;
      return { failure, attempt: turn.attempt, attempts: applicant.attempts, pauseMs };
    }
    if (error.here) pause.begin(failure);
    return { givenBack: failure, here: error.here };
  } finally {
    clearTimeout(timer);
    closing.removeEventListener('abort', end);
  }
}

type Pause = ReturnType<typeof openPause>;

/** A worker with a local problem leaves turns to others, longer each time in a row. */
function openPause({ pool }: Database, executor: string) {
  let times = 0;
  let until = 0;
  // For status displays; while the database is unreachable they cannot read it.
  const show = (ms: number, text: string) =>
    void pool
      .query(`UPDATE ralph.workers SET paused_until = ${NOW} + $2, paused_text = $3 WHERE executor = $1`, [
        executor,
        ms,
        text.replaceAll('\0', ''),
      ])
      .catch(() => undefined);
  return {
    isOn: () => performance.now() < until,
    begin(text: string): void {
      // Turns that fail side by side fail for one reason.
      if (performance.now() < until) return;
      const ms = restMs(times++);
      until = performance.now() + ms;
      show(ms, text);
    },
    end() {
      if (times > 0) show(0, '');
      times = 0;
      until = 0;
    },
  };
}
