import type { schedule } from '../../../src/rules/streams/schedule.ts';
import { type Heap, makeHeap } from './heap.ts';
import { makeRandom, type Random } from './random.ts';
import type { Scenario } from './scenario.ts';

export interface Stream {
  readonly id: number;
  /** Of its own, so that its turns take as long whatever happens to the others: scenarios can be compared. */
  readonly random: Random;
  /** Turns it takes in all. */
  readonly goal: number;
  /** Turns that were recorded. */
  turns: number;
  /** `handed`: the queue has given its turn to a worker, where it waits for its admission. */
  state: 'ready' | 'handed' | 'working' | 'later' | 'done' | 'failed';
  since: number;
  /** Since when the turn that is next could have been taken: not moved by a take-over. */
  waitingSince: number;
  attempts: number;
  /** Counts how often a turn of it was given out: what an earlier one brings counts for nothing. */
  dispatch: number;
  /** When the turn under way was given up by its worker's death; null when it was not. */
  lostAt: number | null;
}

export interface Worker {
  readonly id: number;
  /** Of its own, for what befalls it. */
  readonly random: Random;
  /** Counts its starts: what an earlier one would have done does not happen. */
  life: number;
  alive: boolean;
  hungUntil: number;
  /** What its places are taken by, waiting or under way: stream → dispatch. */
  readonly turns: Map<number, number>;
  /** Those of them that wait for their admission, in the order they came. */
  readonly line: { readonly stream: Stream; readonly dispatch: number }[];
  /** Whether its next question to the queue is planned, and that of the first in line. */
  asks: boolean;
  applies: boolean;
}

export type Event =
  | {
      readonly kind: 'ask' | 'apply' | 'die' | 'start' | 'hang';
      readonly at: number;
      readonly worker: Worker;
      readonly life: number;
    }
  | {
      readonly kind: 'end' | 'overdue';
      readonly at: number;
      readonly stream: Stream;
      readonly dispatch: number;
      readonly worker: Worker;
      readonly life: number;
      readonly begun: number;
      /** How long its agent works. */
      readonly agent: number;
    }
  | { readonly kind: 'wake'; readonly at: number; readonly stream: Stream; readonly dispatch: number }
  | Gone
  | { readonly kind: 'database'; readonly at: number };

/** Turns are taken away from a worker that died, or hangs. */
export interface Gone {
  readonly kind: 'gone';
  readonly at: number;
  readonly worker: Worker;
  readonly turns: ReadonlyMap<number, number>;
  readonly since: number;
  /** Only those that have not begun. */
  readonly waiting: boolean;
}

/** Everything that changes while a fleet is played through. */
export interface Fleet {
  readonly scenario: Scenario;
  readonly events: Heap<Event & { readonly order: number }>;
  readonly streams: readonly Stream[];
  readonly workers: readonly Worker[];
  /** Whose turn it could be, the one that waited longest first. */
  readonly ready: Heap<Parameters<typeof schedule>[0]['streams'][number] & { readonly id: number }>;
  /** When the agents were started that turns have reported: those of the last hour. */
  readonly calls: Heap<number>;
  now: number;
  order: number;
  working: number;
  open: number;
  heldUntil: number;
  /** From when on the row that all lock is free, and the database is there. */
  lockFreeAt: number;
  upAt: number;
  readonly tally: Tally;
}

/** Sums for the figures. */
export interface Tally {
  readonly waits: number[];
  readonly recoveries: number[];
  /** When agents were started, in order. */
  readonly starts: number[];
  /** Questions whether a turn may begin that were answered with no. */
  refused: number;
  recorded: number;
  repeated: number;
  fenced: number;
  deaths: number;
  hangs: number;
  databaseRestarts: number;
  /** That agents worked on turns that count. */
  agentMs: number;
  lockMs: number;
  longestLockWait: number;
  /** Turns of each stream when half of all were recorded. */
  atHalf: readonly number[] | null;
  events: number;
  readonly violations: string[];
}

export function newFleet(scenario: Scenario): Fleet {
  const [least, most] = scenario.turns;
  // Streams and workers draw from numbers that are far apart.
  const randomOf = (kind: number, id: number) => makeRandom(scenario.seed * 1_000_003 + kind * 100_000_007 + id);
  const streams = Array.from({ length: scenario.streams }, (_, id): Stream => {
    const random = randomOf(1, id);
    const goal = least + Math.floor(random.unit() * (most - least + 1));
    const fresh = { turns: 0, since: 0, waitingSince: 0, attempts: 0, dispatch: 0, lostAt: null };
    return { id, random, goal, state: 'ready', ...fresh };
  });
  const workers = Array.from({ length: scenario.workers }, (_, id): Worker => {
    return {
      id,
      random: randomOf(2, id),
      life: 0,
      alive: false,
      hungUntil: 0,
      turns: new Map(),
      line: [],
      asks: false,
      applies: false,
    };
  });
  return {
    scenario,
    streams,
    workers,
    events: makeHeap((one, other) => one.at < other.at || (one.at === other.at && one.order < other.order)),
    ready: makeHeap(
      (one, other) =>
        one.since < other.since ||
        (one.since === other.since && (one.turns < other.turns || (one.turns === other.turns && one.id < other.id))),
    ),
    calls: makeHeap((one, other) => one < other),
    now: 0,
    order: 0,
    working: 0,
    open: scenario.streams,
    heldUntil: 0,
    lockFreeAt: 0,
    upAt: 0,
    tally: {
      waits: [],
      recoveries: [],
      starts: [],
      refused: 0,
      recorded: 0,
      repeated: 0,
      fenced: 0,
      deaths: 0,
      hangs: 0,
      databaseRestarts: 0,
      agentMs: 0,
      lockMs: 0,
      longestLockWait: 0,
      atHalf: null,
      events: 0,
      violations: [],
    },
  };
}

/** Plans an event. Of several at the same moment, the one planned first comes first. */
export function plan(fleet: Fleet, event: Event): void {
  fleet.order += 1;
  fleet.events.push({ ...event, order: fleet.order });
}

/** Puts a stream among those whose turn it could be. */
export function makeReady(fleet: Fleet, stream: Stream, since: number): void {
  stream.state = 'ready';
  stream.since = since;
  const { id, turns } = stream;
  fleet.ready.push({ id, stream: String(id), state: 'ready', turns, since, until: null });
}

/** A transaction that locks the row of the fleet. @param holds for how long @returns when it is through */
export function locked(fleet: Fleet, holds: number): number {
  const begins = Math.max(fleet.now, fleet.lockFreeAt, fleet.upAt);
  fleet.lockFreeAt = begins + holds;
  fleet.tally.lockMs += holds;
  fleet.tally.longestLockWait = Math.max(fleet.tally.longestLockWait, begins - fleet.now);
  return fleet.lockFreeAt;
}

/** What must never happen, told with the figures. */
export function violated(fleet: Fleet, what: string): void {
  fleet.tally.violations.push(`at ${Math.round(fleet.now / 1000)} s: ${what}`);
}
