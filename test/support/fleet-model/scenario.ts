/** A fleet as the model knows it. Times are milliseconds; null: it never happens, or there is no limit. */
export interface Scenario {
  readonly seed: number;
  readonly streams: number;
  /** Iterations that a stream takes: drawn evenly between the two. */
  readonly turns: readonly [least: number, most: number];
  readonly workers: number;
  /** Turns at a time, of each worker. */
  readonly capacity: number;
  readonly concurrency: number | null;
  /** Agents started within a rolling hour, by all. */
  readonly calls: number | null;
  /** How long an agent works on one iteration: half of them shorter than `median`, `sigma` the spread of the logarithm. */
  readonly agent: { readonly median: number; readonly sigma: number };
  /** One fetch, or one push. */
  readonly git: { readonly median: number; readonly sigma: number };
  readonly engine: Engine;
  readonly faults: Faults;
}

export interface Engine {
  /** How often a worker with a free place asks the queue, and how often the turn that is first at a worker asks again. */
  readonly poll: number;
  /** After that long without any output a worker counts as gone. */
  readonly grace: number;
  /** How often the others are looked after. */
  readonly watch: number;
  readonly turnTimeout: number;
  /** Tries of one turn. */
  readonly attempts: number;
  /** After a restart of the database workers are connected again within that. */
  readonly reconnect: number;
  readonly lock: Lock;
  readonly transactions: Transactions;
}

/** How long a transaction holds the one row that all who change streams lock. */
export interface Lock {
  /** May a turn begin? And more for each agent that was started within the last hour: they are counted. */
  readonly admit: number;
  readonly admitPerCall: number;
  /** What came of a turn, or that it was given up. */
  readonly record: number;
}

export interface Transactions {
  readonly perTurn: number;
  /** Of a worker, busy or not: each time that it asks the queue, and each second besides. */
  readonly perPoll: number;
  readonly perSecond: number;
}

export interface Faults {
  /** A worker dies once in that time on average, and is started again after `restart`. */
  readonly workerDies: number | null;
  readonly restart: number;
  /** A worker stands still once in that time on average, for `hang`. */
  readonly workerHangs: number | null;
  readonly hang: number;
  /** The database restarts each time that long has passed. */
  readonly databaseRestarts: number | null;
  readonly databaseDown: number;
  /** Share of turns that end with a limit of the provider: all wait for `providerRest`. */
  readonly providerLimit: number;
  readonly providerRest: number;
  /** Share of turns after which the stream alone rests, for `cooldown`. */
  readonly cools: number;
  readonly cooldown: number;
  /** Share of turns that throw. */
  readonly throws: number;
}

export const SECOND = 1000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;

/** Nothing goes wrong. */
const NO_FAULTS: Faults = {
  workerDies: null,
  restart: MINUTE,
  workerHangs: null,
  hang: 0,
  databaseRestarts: null,
  databaseDown: 0,
  providerLimit: 0,
  providerRest: 0,
  cools: 0,
  cooldown: 0,
  throws: 0,
};

/** What a bad week looks like, every day. */
export const MANY_FAULTS: Faults = {
  workerDies: 12 * HOUR,
  restart: MINUTE,
  workerHangs: 48 * HOUR,
  hang: 3 * HOUR,
  databaseRestarts: 6 * HOUR,
  databaseDown: 20 * SECOND,
  providerLimit: 0.0002,
  providerRest: 5 * MINUTE,
  cools: 0.01,
  cooldown: 10 * MINUTE,
  throws: 0.005,
};

/**
 * Intervals are the engine's own. What a turn costs the database is what `npm run bench -- fleet-costs` measures, rounded,
 * on a machine with two processors that had other things to do; its six transactions were counted. The rest is assumed:
 * faults, how long workers take to be connected again, a remote that is further away than the one measured, and how long
 * an agent works: half of the iterations take less than 8 minutes, one in ten more than 22, one in a hundred more than 51.
 */
export const BASELINE: Scenario = {
  seed: 1,
  streams: 1000,
  turns: [5, 15],
  workers: 50,
  capacity: 4,
  concurrency: null,
  calls: null,
  agent: { median: 8 * MINUTE, sigma: 0.8 },
  git: { median: 600, sigma: 0.5 },
  engine: {
    poll: 5 * SECOND,
    grace: 30 * SECOND,
    watch: 10 * SECOND,
    turnTimeout: 2 * HOUR,
    attempts: 3,
    reconnect: 3 * SECOND,
    lock: { admit: 2, admitPerCall: 0.0004, record: 3 },
    transactions: { perTurn: 6, perPoll: 1, perSecond: 7.3 },
  },
  faults: NO_FAULTS,
};
