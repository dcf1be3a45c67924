import type { StreamState } from '../../contracts/index.ts';

interface Scheduled {
  readonly stream: string;
  readonly state: StreamState;
  readonly turns: number;
  /** Epoch ms when it entered this state. */
  readonly since: number;
  /** Epoch ms when its rest ends; null when it does not rest, or only a person ends the rest. */
  readonly until: number | null;
}

interface ScheduleInput {
  readonly streams: readonly Scheduled[];
  /** Current turns of all workers. */
  readonly working: number;
  /** The total number of parallel turns that the queried workers accept, current ones included. */
  readonly capacity: number;
  /** Parallel turns of all workers; null when unlimited. */
  readonly concurrency: number | null;
  /**
   * Agent processes of the last hour, one for each current turn included; null when unlimited. A turn usually starts
   * one, so no more turns are begun than free starts remain.
   */
  readonly rate: { readonly used: number; readonly limit: number; readonly freeAt: number | null } | null;
  /** Epoch ms until which a shared limit keeps every stream from starting; null when there is none. */
  readonly heldUntil: number | null;
  /** Epoch ms. */
  readonly now: number;
}

interface Schedule {
  /** Streams that start now, longest wait first. */
  readonly start: readonly string[];
  /** Epoch ms when to ask again even if nothing else happens; null when never. */
  readonly wakeAt: number | null;
}

/**
 * Chooses the next streams. Among ready streams the one that waited longest comes first; the wait of a rested stream
 * begins when its rest ends. Of two with equal waits, the one with fewer turns comes first, then the one submitted
 * first. A spent budget does not keep a stream from starting: its turn ends the run cleanly, with a message. Pure: the
 * engines and the model of a fleet both use it.
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

/** The stream with the moment since when it waits for its turn; empty when it does not wait. */
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
