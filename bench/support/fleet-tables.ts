import type { Figures } from '../../test/support/fleet-model/figures.ts';
import { BASELINE, HOUR, MANY_FAULTS, MINUTE, type Scenario, SECOND } from '../../test/support/fleet-model/scenario.ts';

/** What is compared with what, and by which figures. */
export interface FleetTable {
  readonly title: string;
  readonly rows: Readonly<Record<string, Scenario>>;
  readonly columns: readonly Column[];
}

type Column = keyof typeof COLUMNS;

/** Streams of the largest fleet; there is a worker for twenty of them. */
const STREAMS = Number(process.env['BENCH_STREAMS'] ?? 10_000);
const LARGE: Scenario = { ...BASELINE, streams: STREAMS, workers: Math.ceil(STREAMS / 20) };
const SMALL: Scenario = { ...BASELINE, streams: 20, workers: 3 };
const FAULTY: Scenario = { ...BASELINE, faults: MANY_FAULTS };

/** As if how many agents were started within the hour were known, not counted. */
const UNCOUNTED = { ...BASELINE.engine.lock, admitPerCall: 0 };

const TIME = ['turns/h', 'busy', 'wait 50 %', 'wait 95 %', 'wait most'] as const;
const DATABASE = ['tx/s', 'lock', 'lock wait', 'git/s'] as const;

export const TABLES: readonly FleetTable[] = [
  {
    title: 'how it grows',
    columns: ['hours', ...TIME, 'even', ...DATABASE],
    rows: {
      ...sized(SMALL, BASELINE, LARGE),
      'the last one with many faults': { ...LARGE, faults: MANY_FAULTS },
    },
  },
  {
    title: 'what faults cost',
    columns: ['hours', ...TIME, 'deaths', 'restarts', 'repeated', 'recovery', 'at most', 'failed'],
    rows: {
      'nothing goes wrong': BASELINE,
      'many faults': FAULTY,
      'grace of 2 s': withEngine(FAULTY, { grace: 2 * SECOND }),
      'grace of 5 min': withEngine(FAULTY, { grace: 5 * MINUTE }),
      'turns of 30 min at most': withEngine(FAULTY, { turnTimeout: HOUR / 2 }),
      'workers die once an hour': { ...FAULTY, faults: { ...MANY_FAULTS, workerDies: HOUR } },
    },
  },
  {
    title: 'what limits do',
    columns: ['hours', ...TIME, 'agents/h', 'refused/s', 'lock'],
    rows: {
      'no limit, 200 places': BASELINE,
      '100 at a time': { ...BASELINE, concurrency: 100 },
      '100 at a time, 100 places': { ...BASELINE, concurrency: 100, workers: 25 },
      '500 agents an hour': { ...BASELINE, calls: 500 },
      '500 an hour, many faults': { ...FAULTY, calls: 500 },
      'provider holds all for 5 min': provider(0.005, 5 * MINUTE),
      'provider holds all for 1 h': provider(0.001, HOUR),
    },
  },
  {
    title: 'where it breaks',
    columns: ['hours', 'turns/h', 'busy', ...DATABASE, 'connections'],
    rows: {
      'agents of 8 min': LARGE,
      'agents of 2 min': { ...LARGE, agent: agentsOf(2 * MINUTE) },
      'agents of 30 s': { ...LARGE, agent: agentsOf(30 * SECOND) },
      'agents of 10 s': { ...LARGE, agent: agentsOf(10 * SECOND) },
      'four times the workers': { ...LARGE, workers: 4 * LARGE.workers },
      'a tenth of all, agents of 30 s': { ...LARGE, ...tenth(LARGE), agent: agentsOf(30 * SECOND) },
      'a tenth of all, agents of 10 s': { ...LARGE, ...tenth(LARGE), agent: agentsOf(10 * SECOND) },
    },
  },
  {
    title: 'what to raise',
    columns: ['hours', 'turns/h', 'busy', ...DATABASE, 'connections'],
    rows: {
      'polls every 5 s': LARGE,
      'polls every second': withEngine(LARGE, { poll: SECOND }),
      'polls every 30 s': withEngine(LARGE, { poll: 30 * SECOND }),
      'a fifth of the workers, 20 each': { ...LARGE, workers: Math.ceil(LARGE.workers / 5), capacity: 20 },
      'agents of 30 s': { ...LARGE, agent: agentsOf(30 * SECOND) },
      '… a database twice as fast': withLocks({ ...LARGE, agent: agentsOf(30 * SECOND) }, 2),
      '… agents of the hour not counted': withEngine({ ...LARGE, agent: agentsOf(30 * SECOND) }, { lock: UNCOUNTED }),
    },
  },
];

export const COLUMNS = {
  hours: ({ took }) => (took / HOUR).toFixed(1),
  'turns/h': ({ turnsPerHour }) => count(turnsPerHour),
  busy: ({ busy }) => percent(busy),
  'wait 50 %': ({ wait }) => time(wait.half),
  'wait 95 %': ({ wait }) => time(wait.most),
  'wait most': ({ wait }) => time(wait.all),
  even: ({ evenness }) => evenness.toFixed(2),
  deaths: ({ faults }) => count(faults.deaths),
  restarts: ({ faults }) => count(faults.databaseRestarts),
  repeated: ({ repeated, turns }) => percent(repeated / turns),
  recovery: ({ recovery }) => time(recovery.half),
  'at most': ({ recovery }) => time(recovery.all),
  failed: ({ failed }) => count(failed),
  'agents/h': ({ mostCalls }) => count(mostCalls),
  'refused/s': ({ database }) => database.refusedPerSecond.toFixed(1),
  'tx/s': ({ database }) => count(database.transactionsPerSecond),
  lock: ({ database }) => percent(database.lockBusy),
  'lock wait': ({ database }) => time(database.longestLockWait),
  'git/s': ({ gitPerSecond }) => gitPerSecond.toFixed(1),
  connections: (_figures, { workers }) => `${count(3 * workers)}-${count(11 * workers)}`,
} satisfies Readonly<Record<string, (figures: Figures, scenario: Scenario) => string>>;

function sized(...scenarios: readonly Scenario[]): Readonly<Record<string, Scenario>> {
  return Object.fromEntries(
    scenarios.map((scenario) => [`${count(scenario.streams)} streams, ${scenario.workers} workers`, scenario]),
  );
}

function withEngine(scenario: Scenario, engine: Partial<Scenario['engine']>): Scenario {
  return { ...scenario, engine: { ...scenario.engine, ...engine } };
}

function withLocks(scenario: Scenario, faster: number): Scenario {
  const { admit, admitPerCall, record } = scenario.engine.lock;
  const lock = { admit: admit / faster, admitPerCall: admitPerCall / faster, record: record / faster };
  return withEngine(scenario, { lock });
}

/** A share of the turns runs into a limit of the provider, which holds back all of them. */
function provider(providerLimit: number, providerRest: number): Scenario {
  return { ...BASELINE, faults: { ...BASELINE.faults, providerLimit, providerRest } };
}

function agentsOf(median: number): Scenario['agent'] {
  return { ...BASELINE.agent, median };
}

function tenth({ streams, workers }: Scenario): Pick<Scenario, 'streams' | 'workers'> {
  return { streams: Math.ceil(streams / 10), workers: Math.ceil(workers / 10) };
}

function count(value: number): string {
  return Math.round(value).toLocaleString('en');
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}

function time(ms: number): string {
  if (ms < SECOND) return `${Math.round(ms)} ms`;
  if (ms < 2 * MINUTE) return `${(ms / SECOND).toFixed(1)} s`;
  return ms < 2 * HOUR ? `${Math.round(ms / MINUTE)} min` : `${(ms / HOUR).toFixed(1)} h`;
}
