import type { EndReason, ExitCodeValue } from './model.ts';
import type { WaitReason } from './state/run-record.ts';

/**
 * Many at once. A *stream* is one workspace worked on in its own git worktree and branch. It advances by *turns*: one
 * iteration each, after which its run stays open until the next turn, wherever and by whomever that is taken.
 */

/** What comes after a turn. */
export type TurnOutcome =
  /** There is more to do, and it may be done at once. */
  | { readonly kind: 'next' }
  /** Not before `until` (epoch ms; null until a person says so). `all`: whoever uses the same provider had better wait, too. */
  | {
      readonly kind: 'later';
      readonly until: number | null;
      readonly why: WaitReason;
      readonly text: string;
      readonly all: boolean;
    }
  /** The run of the stream has ended. */
  | { readonly kind: 'done'; readonly reason: EndReason; readonly exitCode: ExitCodeValue; readonly text: string };

/** What a turn used of the limits that streams share. */
export interface TurnUse {
  /** US dollars; what was not told counts as nothing. */
  readonly costUsd: number;
  /** Of all kinds. */
  readonly tokens: number;
  /** Epoch ms of every start of an agent process. */
  readonly calls: readonly number[];
}

export interface TurnReport {
  readonly outcome: TurnOutcome;
  readonly used: TurnUse;
}

/** Limits that streams share; null: none. */
export interface SharedLimits {
  /** Agent processes started within a rolling hour, over all streams. */
  readonly calls: number | null;
  /** US dollars, over all runs that are open. */
  readonly maxCost: number | null;
  readonly maxTokens: number | null;
}

/** How a stream stands, as an engine knows it. */
export type StreamState =
  | 'ready'
  | 'working'
  /** Waits for `until`, or for a person. */
  | 'later'
  | 'done'
  /** Its run ended before everything was done (`ended` says how): a person looks at it and retries. */
  | 'ended'
  | 'cancelled'
  /** Its turns failed too often; a person looks at it and retries. */
  | 'failed';

export interface StreamStanding {
  readonly stream: string;
  readonly state: StreamState;
  /** Turns that were taken so far. */
  readonly turns: number;
  /** Attempts of the turn under way, or of the one that failed; 0 when none was begun. */
  readonly attempts: number;
  /** Who takes its turn now. */
  readonly worker: string | null;
  /** Epoch ms; why it rests is in `text`. */
  readonly until: number | null;
  readonly text: string;
  readonly costUsd: number;
  /** How it ended; null before. */
  readonly ended: { readonly reason: EndReason; readonly exitCode: ExitCodeValue } | null;
}

/** Somebody who takes turns. */
export interface WorkerStanding {
  readonly worker: string;
  readonly host: string;
  readonly capacity: number;
  /** Streams whose turns it takes now. */
  readonly streams: readonly string[];
  /** `gone`: no sign of life; its turns are taken over. */
  readonly state: 'working' | 'draining' | 'gone';
  /** Epoch ms. */
  readonly since: number;
  /** It takes no turns until then (epoch ms), because something is wrong at its place. */
  readonly paused?: { readonly until: number; readonly text: string } | null;
}
