import { HOUR } from './scenario.ts';
import type { Fleet } from './state.ts';

/** What playing a fleet through has shown. Times are milliseconds. */
export interface Figures {
  /** From the first turn to the end of the last stream. */
  readonly took: number;
  readonly turns: number;
  readonly done: number;
  readonly failed: number;
  readonly turnsPerHour: number;
  /** Share of the places, as far as the limits let them be used, that an agent worked in for a turn that counts. */
  readonly busy: number;
  /** From when a turn could be taken to when it was: half of them, 95 of 100, all of them waited at most so long. */
  readonly wait: { readonly half: number; readonly most: number; readonly all: number };
  /** How even the progress was when half of the work was done: 1 when every stream had the same share of its turns. */
  readonly evenness: number;
  readonly faults: { readonly deaths: number; readonly hangs: number; readonly databaseRestarts: number };
  /** Most agents that were started within an hour, those included that never were reported. */
  readonly mostCalls: number;
  /** Agents that were run again for a turn, and results that came too late and counted for nothing. */
  readonly repeated: number;
  readonly fenced: number;
  /** From the death of a worker, or the end of a turn's time, to the new start of the turn. */
  readonly recovery: { readonly half: number; readonly all: number };
  readonly database: {
    readonly transactionsPerSecond: number;
    /** Share of the time that the row which all lock was locked. */
    readonly lockBusy: number;
    readonly longestLockWait: number;
    /** Questions whether a turn may begin that a limit answered with no. */
    readonly refusedPerSecond: number;
  };
  /** Fetches and pushes. */
  readonly gitPerSecond: number;
  readonly events: number;
  /** What must never happen. */
  readonly violations: readonly string[];
}

export function figuresOf(fleet: Fleet): Figures {
  const { scenario, tally, streams, now } = fleet;
  const { engine, workers, capacity } = scenario;
  const seconds = now / 1000;
  const waits = sorted(tally.waits);
  const recoveries = sorted(tally.recoveries);
  const { perTurn, perPoll, perSecond } = engine.transactions;
  const perWorker = perSecond + (perPoll * 1000) / engine.poll;
  return {
    took: now,
    turns: tally.recorded,
    done: streams.filter(({ state }) => state === 'done').length,
    failed: streams.filter(({ state }) => state === 'failed').length,
    turnsPerHour: (tally.recorded * HOUR) / now,
    busy: tally.agentMs / (now * Math.min(workers * capacity, scenario.concurrency ?? Number.POSITIVE_INFINITY)),
    wait: { half: quantile(waits, 0.5), most: quantile(waits, 0.95), all: quantile(waits, 1) },
    evenness: evenness(tally.atHalf ?? []),
    faults: { deaths: tally.deaths, hangs: tally.hangs, databaseRestarts: tally.databaseRestarts },
    mostCalls: mostWithin(HOUR, tally.starts),
    repeated: tally.repeated,
    fenced: tally.fenced,
    recovery: { half: quantile(recoveries, 0.5), all: quantile(recoveries, 1) },
    database: {
      transactionsPerSecond: (tally.starts.length * perTurn + tally.refused) / seconds + workers * perWorker,
      lockBusy: tally.lockMs / now,
      longestLockWait: tally.longestLockWait,
      refusedPerSecond: tally.refused / seconds,
    },
    gitPerSecond: (2 * tally.starts.length) / seconds,
    events: tally.events,
    violations: [...tally.violations, ...atTheEnd(fleet)],
  };
}

function atTheEnd({ streams, tally, open }: Fleet): readonly string[] {
  const found: string[] = [];
  if (open > 0) found.push(`${open} streams came to no end`);
  const wrong = streams.filter(({ state, turns, goal }) => (state === 'done' ? turns !== goal : turns >= goal));
  if (wrong.length > 0) found.push(`${wrong.length} streams have not the turns they should have`);
  const sum = streams.reduce((all, { turns }) => all + turns, 0);
  if (sum !== tally.recorded) found.push(`${tally.recorded} turns were recorded, and streams have ${sum}`);
  return found;
}

/** @param moments in order @returns how many of them, at most, are within one span of that length */
function mostWithin(span: number, moments: readonly number[]): number {
  let from = 0;
  let most = 0;
  for (const [to, moment] of moments.entries()) {
    while ((moments[from] ?? moment) <= moment - span) from += 1;
    most = Math.max(most, to - from + 1);
  }
  return most;
}

/** Jain's index: the square of the mean over the mean of the squares. */
function evenness(shares: readonly number[]): number {
  const sum = shares.reduce((all, share) => all + share, 0);
  const squares = shares.reduce((all, share) => all + share * share, 0);
  return squares === 0 ? 1 : (sum * sum) / (shares.length * squares);
}

function sorted(values: readonly number[]): Float64Array {
  return Float64Array.from(values).sort();
}

/** 0 where there is nothing. */
function quantile(values: Float64Array, share: number): number {
  return values[Math.min(values.length - 1, Math.floor(share * values.length))] ?? 0;
}
