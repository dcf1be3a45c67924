import type { SharedLimits, StreamStanding, TurnReport, TurnUse, WorkerStanding } from '../../contracts/index.ts';

/**
 * Decides which stream continues, and where. Two implementations, one contract suite for both: `local/` (in this
 * process, no service) and `dbos/` (DBOS on PostgreSQL, for many machines). An engine never has two active turns of one
 * stream, takes the turns of a stream in sequence, and serves streams fairly: of the ready ones, the one that waited
 * longest comes first.
 */
export interface Engine {
  /** Adds a stream. `already`: it is known and neither ended, nor cancelled, nor failed; nothing changes then. */
  submit(submission: Submission): Promise<'submitted' | 'already'>;
  /**
   * Takes turns, as many at a time as this worker's capacity allows, until it is stopped. The local engine also ends
   * when no stream is left that can continue without a person. A turn that throws is tried again, `attempts` times in
   * all.
   */
  work(turn: TakeTurn): Promise<void>;
  /** Ends a stream: an active turn is aborted. False when there is no such stream, or it has ended. */
  cancel(stream: string): Promise<boolean>;
  /**
   * Lets a stream continue now that has failed, was cancelled, or waits for a time or for a person. If it had made all
   * others wait, that hold ends. False when there is no such stream.
   */
  retry(stream: string): Promise<boolean>;
  /** In submission order. */
  status(): Promise<readonly StreamStanding[]>;
  workers(): Promise<readonly WorkerStanding[]>;
  /** This worker (or with `all` every worker) finishes its active turns, begins none, and `work` resolves. */
  drain(all?: boolean): Promise<void>;
  /**
   * Releases everything; active turns are aborted, and taken again by others or at the next start. One call is enough.
   */
  close(): Promise<void>;
}

export interface Submission {
  /** Its name: letters, digits, `.`, `-`, `_`. */
  readonly stream: string;
  /** Plain data for the worker that takes its turns. */
  readonly task: unknown;
}

export interface Turn {
  readonly stream: string;
  readonly task: unknown;
  /** 1-based. A turn repeated because its worker died or it threw keeps its number. */
  readonly n: number;
  /** 1-based. */
  readonly attempt: number;
  /** What is left of shared budgets; null: there is none. */
  readonly left: { readonly costUsd: number | null; readonly tokens: number | null };
  /**
   * Aborted when the stream is cancelled (`stopped`), the turn takes too long (`timeout`), or the engine closes
   * (`terminated`).
   */
  readonly signal: AbortSignal;
}

export type TakeTurn = (turn: Turn) => Promise<TurnReport>;

export interface EngineOptions {
  /** Turns at a time, of this worker. */
  readonly capacity: number;
  /** Turns at a time, of all workers together; null: no limit. */
  readonly concurrency: number | null;
  readonly limits: SharedLimits;
  /** Earlier usage unknown to this engine: by runs outside it. */
  readonly usedBefore: () => Promise<TurnUse>;
  /** Attempts at one turn before the stream counts as failed. */
  readonly attempts: number;
  /** Milliseconds that a turn may take; null: no limit. */
  readonly turnTimeoutMs: number | null;
}

/**
 * Thrown by a worker when the turn is not at fault: the place is (no agent, a full disk, an unreachable remote), or
 * another was faster. It costs no attempt. The stream rests for a moment, and is then free for a healthy worker.
 */
export class GivenBack extends Error {
  /** Other turns would fail here as well: this worker should leave turns to others for a while. */
  readonly here: boolean;

  /** @param message why, for people */
  constructor(message: string, here: boolean) {
    super(message);
    this.name = 'GivenBack';
    this.here = here;
  }
}

const FIRST_REST_MS = 2_000;
const LONGEST_REST_MS = 5 * 60_000;

/** How long a rest is, milliseconds. @param before how many came before it in a row */
export function restMs(before: number): number {
  return Math.min(FIRST_REST_MS * 2 ** Math.min(before, 20), LONGEST_REST_MS);
}
