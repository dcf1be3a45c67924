import type { StreamStanding, StreamState, TurnOutcome } from '../../../contracts/streams.ts';
import type { Submission } from '../port.ts';

/** What the engine in this process knows of a stream; replaced, never mutated. */
export interface LocalStream extends Omit<StreamStanding, 'worker'> {
  readonly task: unknown;
  /** Epoch ms since when it is in its state. */
  readonly since: number;
}

/** One that was just submitted. */
export function newStream({ stream, task }: Submission, now: number): LocalStream {
  return {
    stream,
    task,
    state: 'ready',
    since: now,
    turns: 0,
    attempts: 0,
    until: null,
    text: '',
    costUsd: 0,
    ended: null,
  };
}

/** It goes on as if nothing had been. */
export function ready(stream: LocalStream, now: number): LocalStream {
  return { ...stream, state: 'ready', since: now, until: null, text: '' };
}

export function begun(stream: LocalStream, now: number): LocalStream {
  return { ...ready(stream, now), state: 'working', attempts: stream.attempts + 1 };
}

/** A turn is over. */
export function turned(stream: LocalStream, outcome: TurnOutcome, now: number): LocalStream {
  const after = { ...ready(stream, now), turns: stream.turns + 1, attempts: 0 };
  switch (outcome.kind) {
    case 'next':
      return after;
    case 'later':
      return { ...after, state: 'later', until: outcome.until, text: outcome.text };
    case 'done': {
      const { reason, exitCode, text } = outcome;
      return { ...after, state: 'done', text, ended: { reason, exitCode } };
    }
  }
}

/** A turn threw: it is tried again, unless it was tried often enough. */
export function threw(stream: LocalStream, error: unknown, attempts: number, now: number): LocalStream {
  const text = error instanceof Error ? error.message : String(error);
  const state: StreamState = stream.attempts < attempts ? 'ready' : 'failed';
  return { ...ready(stream, now), state, text };
}

export function cancelled(stream: LocalStream, now: number): LocalStream {
  return { ...ready(stream, now), state: 'cancelled' };
}

const OVER: readonly StreamState[] = ['done', 'cancelled', 'failed'];

/** Nothing happens to it any more without a word. */
export function isOver({ state }: LocalStream): boolean {
  return OVER.includes(state);
}

/** Whether a word lets it go on. */
export function waitsForWord({ state }: LocalStream): boolean {
  return state === 'failed' || state === 'cancelled' || state === 'later';
}
