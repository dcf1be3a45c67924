import type { EndReason, ExitCodeValue, WaitReason } from './model.ts';

/**
 * Many streams at once. A *stream* is one workspace worked on in its own git worktree and branch. It advances by
 * *turns*: one iteration each, after which its run stays open until the next turn, on any machine and by any process
 * that is taken.
 */

/** What comes after a turn. */
export type TurnOutcome =
  /** More work is ready now. */
  | { readonly kind: 'next' }
  /**
   * Not before `until` (epoch ms; null until a person allows it). `all`: other streams that use the same provider
   * should wait too.
   */
  | {
      readonly kind: 'later';
      readonly until: number | null;
      readonly why: WaitReason;
      readonly text: string;
      readonly all: boolean;
    }
  /** The run of the stream has ended. */
  | { readonly kind: 'done'; readonly reason: EndReason; readonly exitCode: ExitCodeValue; readonly text: string };

/** What a turn used of the limits shared by streams. */
export interface TurnUse {
  /** US dollars; unreported costs count as zero. */
  readonly costUsd: number;
  /** Tokens of all kinds. */
  readonly tokens: number;
  /** Epoch ms of every start of an agent process. */
  readonly calls: readonly number[];
}

export interface TurnReport {
  readonly outcome: TurnOutcome;
  readonly used: TurnUse;
}

/** Limits shared by streams; null: none. */
export interface SharedLimits {
  /** Agent processes started within a rolling hour, over all streams. */
  readonly calls: number | null;
  /** US dollars, over all open runs. */
  readonly maxCost: number | null;
  readonly maxTokens: number | null;
}

/** The state of a stream, as an engine knows it. */
export type StreamState =
  | 'ready'
  | 'working'
  /** Waits for `until`, or for a person. */
  | 'later'
  | 'done'
  /** Its run ended before all work was done (`ended` says how): a person looks at it and retries. */
  | 'ended'
  | 'cancelled'
  /** Its turns failed too often; a person looks at it and retries. */
  | 'failed';

export interface StreamStanding {
  readonly stream: string;
  readonly state: StreamState;
  /** Turns taken so far. */
  readonly turns: number;
  /** Attempts at the current turn, or at the failed one; 0 when none has begun. */
  readonly attempts: number;
  /** The worker that takes its turn now. */
  readonly worker: string | null;
  /** Epoch ms; the reason is in `text`. */
  readonly until: number | null;
  readonly text: string;
  readonly costUsd: number;
  /** How it ended; null before. */
  readonly ended: { readonly reason: EndReason; readonly exitCode: ExitCodeValue } | null;
}

/** A process that takes turns. */
export interface WorkerStanding {
  readonly worker: string;
  readonly host: string;
  readonly capacity: number;
  /** Streams whose turns it takes now. */
  readonly streams: readonly string[];
  /** `gone`: no sign of life; others take over its turns. */
  readonly state: 'working' | 'draining' | 'gone';
  /** Epoch ms. */
  readonly since: number;
  /** It takes no turns until then (epoch ms), because something is wrong where it runs. */
  readonly paused?: { readonly until: number; readonly text: string } | null;
}
