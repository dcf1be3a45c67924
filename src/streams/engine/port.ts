import type { SharedLimits, StreamStanding, TurnReport, TurnUse, WorkerStanding } from '../../contracts/streams.ts';

/**
 * Who decides which stream goes on, and where. Two implementations behind it, one contract suite for both: `local/`
 * (in this process, no service) and `dbos/` (DBOS on PostgreSQL, for many machines). An engine never has two turns of
 * one stream under way, takes the turns of a stream in order, and serves streams fairly: among those that are ready,
 * the one that waited longest comes first.
 */
export interface Engine {
  /** Adds a stream. `already`: it is known and neither ended, nor cancelled, nor failed; nothing changes then. */
  submit(submission: Submission): Promise<'submitted' | 'already'>;
  /**
   * Takes turns, as many at a time as this worker's capacity allows, until it is told to stop. Locally also until no
   * stream is left that could go on without a person. A turn that throws is tried again, `attempts` times in all.
   */
  work(turn: TakeTurn): Promise<void>;
  /** Ends a stream: a turn under way is aborted. False when there is no such stream, or it has ended. */
  cancel(stream: string): Promise<boolean>;
  /**
   * Lets a stream go on now that has failed, was cancelled, or waits for a time or for a person. Where it was the one
   * that had all others wait, they need not any more. False when there is none such.
   */
  retry(stream: string): Promise<boolean>;
  /** In the order they were submitted. */
  status(): Promise<readonly StreamStanding[]>;
  workers(): Promise<readonly WorkerStanding[]>;
  /** This worker (or with `all` every worker) finishes the turns under way, begins none, and `work` resolves. */
  drain(all?: boolean): Promise<void>;
  /** Lets go of everything; turns under way are aborted, and taken again by others or at the next start. Once is enough. */
  close(): Promise<void>;
}

export interface Submission {
  /** Its name: letters, digits, `.`, `-`, `_`. */
  readonly stream: string;
  /** Plain data for whoever takes its turns. */
  readonly task: unknown;
}

export interface Turn {
  readonly stream: string;
  readonly task: unknown;
  /** 1-based. A turn that is repeated, because its worker died or it threw, has the same number. */
  readonly n: number;
  /** 1-based. */
  readonly attempt: number;
  /** What is left of shared budgets; null: there is none. */
  readonly left: { readonly costUsd: number | null; readonly tokens: number | null };
  /** Aborted when the stream is cancelled (`stopped`), the turn takes too long (`timeout`), or the engine closes (`terminated`). */
  readonly signal: AbortSignal;
}

export type TakeTurn = (turn: Turn) => Promise<TurnReport>;

export interface EngineOptions {
  /** Turns at a time, of this worker. */
  readonly capacity: number;
  /** Turns at a time, of all workers together; null: no limit. */
  readonly concurrency: number | null;
  readonly limits: SharedLimits;
  /** What was used before, of which this engine knows nothing: by runs outside of it. */
  readonly usedBefore: () => Promise<TurnUse>;
  /** Tries of one turn before the stream counts as failed. */
  readonly attempts: number;
  /** Milliseconds that a turn may take; null: as long as it likes. */
  readonly turnTimeoutMs: number | null;
}
