import type { StreamState } from '../../contracts/streams.ts';

/** A stream as whoever hands out turns knows it. */
export interface Scheduled {
  readonly stream: string;
  readonly state: StreamState;
  /** Turns that it had so far. */
  readonly turns: number;
  /** Epoch ms since when it is in this state. */
  readonly since: number;
  /** Epoch ms until when it rests; null when it does not, or only a person ends that. */
  readonly until: number | null;
}

export interface ScheduleInput {
  /** In the order they were submitted. */
  readonly streams: readonly Scheduled[];
  /** Turns under way, of all workers. */
  readonly working: number;
  /** Turns at a time that the workers who are asked take together, those under way included. */
  readonly capacity: number;
  /** Turns at a time, of all workers; null: no limit. */
  readonly concurrency: number | null;
  /**
   * Agent processes of the last hour, one for each turn under way included; null: no limit. A turn starts one, mostly,
   * so no more turns are begun than starts are free.
   */
  readonly rate: { readonly used: number; readonly limit: number; readonly freeAt: number | null } | null;
  /** Epoch ms until when nobody may start, by a limit that all share; null: no such limit. */
  readonly heldUntil: number | null;
  /** Epoch ms. */
  readonly now: number;
}

export interface Schedule {
  /** Streams whose turn it is, first come first served. */
  readonly start: readonly string[];
  /** Epoch ms when to ask again though nothing else happens; null: never. */
  readonly wakeAt: number | null;
}

/**
 * Who goes next. Among streams that are ready the one that waited longest comes first; a rest that is over counts as
 * waiting since its end. Of two that waited equally long the one comes first that had fewer turns, then the one that was
 * submitted first. A budget that is spent keeps nobody from starting: a turn ends its run then, in order and with a
 * word. Pure: the engines and the model of a fleet decide by it alike.
 */
export function schedule(input: ScheduleInput): Schedule {
  const { streams, now, heldUntil, rate } = input;
  const ready = streams
    .flatMap((stream) => readySince(stream, now))
    .sort((one, other) => one.since - other.since || one.turns - other.turns);
  const isHeld = heldUntil !== null && heldUntil > now;
  const start = isHeld ? [] : ready.slice(0, freePlaces(input)).map(({ stream }) => stream);
  const restsEnd = streams.flatMap(({ state, until }) =>
    state === 'later' && until !== null && until > now ? [until] : [],
  );
  const held = ready.length > start.length;
  const gateOpens = held ? [isHeld ? heldUntil : null, rate?.freeAt ?? null] : [];
  const moments = [...restsEnd, ...gateOpens].flatMap((at) => (at !== null && at > now ? [at] : []));
  return { start, wakeAt: moments.length === 0 ? null : Math.min(...moments) };
}

/** The stream with the moment from which on it waits for its turn; none when it does not. */
function readySince(stream: Scheduled, now: number): readonly Scheduled[] {
  const { state, until } = stream;
  if (state === 'ready') return [stream];
  return state === 'later' && until !== null && until <= now ? [{ ...stream, since: until }] : [];
}

function freePlaces({ working, capacity, concurrency, rate }: ScheduleInput): number {
  const places = Math.min(capacity, concurrency ?? capacity) - working;
  const starts = rate === null ? places : rate.limit - rate.used;
  return Math.max(0, Math.min(places, starts));
}
