import type { DBOSClient } from '@dbos-inc/dbos-sdk';
import type { StopReason } from '../../../contracts/agent.ts';
import { GivenBack } from '../given-back.ts';
import type { TakeTurn } from '../port.ts';
import { type Admission, type Applicant, admit } from './admit.ts';
import { type Database, patiently } from './database.ts';
import { type Dispatch, dispatchAgain, dispatchOf, workflowId } from './dispatch.ts';
import { openPause, type Pause } from './pause.ts';
import { recordTurn, type TurnResult } from './record.ts';

/** The longest that a timer of Node can take. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;
/** At least so often a turn that a limit holds back is asked for. */
const ASK_MS = 1_000;

export interface TurnsInput {
  readonly db: Database;
  readonly queue: DBOSClient;
  readonly take: TakeTurn;
  readonly applicant: Omit<Applicant, 'waiting'>;
  readonly timeoutMs: number | null;
  /** Between two looks whether a limit lets somebody begin. */
  readonly pollMs: number;
  /** Until the next attempt of a turn that threw; after that the last one. Milliseconds. */
  readonly retryPausesMs: readonly number[];
  /** No turn begins after it is aborted. */
  readonly draining: AbortSignal;
  /** Turns under way are to end at once. */
  readonly closing: AbortSignal;
}

/** Turns that the queue has handed to this worker. */
export interface Turns {
  /** Takes one, from its admission until what came of it is recorded. Never throws. */
  run(dispatch: Dispatch): Promise<void>;
  /** Ids of those that wait or are under way. */
  known(): ReadonlySet<string>;
  /** Ids of those under way. */
  underWay(): readonly string[];
  /** Ends those of them: they were given to others, or cancelled. */
  stop(ids: readonly string[]): void;
  /** Resolves when there is none. */
  settled(): Promise<void>;
}

export function openTurns(input: TurnsInput): Turns {
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
    async run(dispatch) {
      const id = workflowId(dispatch);
      if (known.has(id)) return;
      // Where the database refuses for good nothing more can be done here: the watchdogs take over.
      const running = handle(dispatch).catch(() => undefined);
      known.set(id, running);
      await running;
      known.delete(id);
    },
    known: () => new Set(known.keys()),
    underWay: () => [...underWay.keys()],
    stop(ids) {
      for (const id of ids) underWay.get(id)?.abort('stopped' satisfies StopReason);
    },
    async settled() {
      while (known.size > 0) await Promise.all(known.values());
    },
  };

  /** Only the first in line asks; the database has as many askers as there are workers, not as there are turns. */
  async function waitForAdmission(of: TurnsInput, dispatch: Dispatch): Promise<Admission> {
    for (;;) {
      if (of.draining.aborted || closing.aborted || pause.isOn()) return { kind: 'wait' };
      const admission = await admit(db, dispatch, applicant);
      if (admission.kind !== 'wait') return admission;
      await pauseUnlessAborted(Math.min(of.pollMs, ASK_MS), of.draining);
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
    const failure = error instanceof Error ? error.message : String(error);
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

function oneAtATime(): <T>(body: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (body) => {
    const mine = last.then(body);
    last = mine.catch(() => undefined);
    return mine;
  };
}

export function pauseUnlessAborted(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener('abort', end);
  });
}
