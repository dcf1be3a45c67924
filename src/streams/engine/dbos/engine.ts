import { createHash, randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { Client, QueryResultRow } from 'pg';
import { systemClock } from '../../../platform/index.ts';
import type { Engine, EngineOptions, TakeTurn } from '../port.ts';
import { type OpenClient, openClient } from './client.ts';
import { type Database, NOW, openDatabase, patiently, SILENT } from './database.ts';
import { type Dispatch, dispatchAgain, QUEUE, VERSION, WORKFLOW, workflowId } from './dispatch.ts';
import { openTurns, type Turns } from './turns.ts';
import { forgetOld, requeueLostTurns, watch } from './watchdog.ts';

interface DbosEngineInput {
  /** `postgres://…`; one database is one fleet. */
  readonly url: string;
  readonly worker: string;
  /** Limits given here become those of the fleet. */
  readonly options: EngineOptions;
  /** Milliseconds between two polls of the queue. */
  readonly pollMs?: number;
  /** Milliseconds without a sign of life after which other workers get a worker's turns. */
  readonly graceMs?: number;
}

const POLL_MS = 5000;
/** Longer than a restart of the database, which cuts the sessions of all workers at once. */
const GRACE_MS = 30_000;

/** How long a starting worker waits for the database; with the time to connect less than ten seconds. */
const START_MS = 4000;

/**
 * The engine for many machines: DBOS on PostgreSQL. One per process, because the library allows only one.
 * @throws UsageError for a URL that is not PostgreSQL's; UnavailableError when the database cannot be used, or the
 *   packages it needs are not installed
 */
export async function openDbosEngine(input: DbosEngineInput): Promise<Engine> {
  const { pollMs = POLL_MS, graceMs = GRACE_MS, worker, options } = input;
  const places = { pollMs, graceMs, worker, options };
  const db = await openDatabase(input.url, START_MS);
  const client = await openClient(db);
  const draining = new AbortController();
  const closing = new AbortController();
  let working: Promise<void> = Promise.resolve();
  await client.setLimits(givenLimits(input.options));
  const close = async () => {
    draining.abort();
    closing.abort();
    await working.catch(() => undefined);
    await client.close();
    await db.close();
  };
  let closed: Promise<void> | undefined;
  return {
    ...client,
    work(take) {
      working = work({ ...places, db, client, take, draining, closing: closing.signal });
      return working;
    },
    async drain(all) {
      if (all) await client.drain(true);
      draining.abort();
    },
    close() {
      closed ??= close();
      return closed;
    },
  };
}

function givenLimits({ concurrency, limits }: EngineOptions) {
  const given = { concurrency, ...limits };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null));
}

/** Time within which a cancelled turn is ended. */
const LOOK_MS = 1000;
/** Time that turns get to end once the engine is closed. */
const CLOSE_MS = 10_000;
/** How often per grace period other workers are checked, and the longest interval. */
const WATCHES_PER_GRACE = 3;
const SELDOM_MS = 10_000;
const FORGET_EVERY_MS = 60 * 60_000;

interface Work {
  readonly db: Database;
  readonly client: OpenClient;
  readonly take: TakeTurn;
  readonly worker: string;
  readonly options: EngineOptions;
  readonly pollMs: number;
  readonly graceMs: number;
  /** Aborted from outside, or here when the whole fleet is drained. */
  readonly draining: AbortController;
  readonly closing: AbortSignal;
}

interface Running extends Work {
  readonly executor: string;
  readonly session: Session;
  readonly turns: Turns;
}

/**
 * Takes turns until this worker is drained or closed. @throws UnavailableError when the database is unreachable at the
 * start
 */
async function work(input: Work): Promise<void> {
  const running = await start(input);
  const { draining, pollMs, turns, session } = running;
  const watching = keepWatch(running);
  const lookOn = async (signal: AbortSignal) => {
    while (!signal.aborted) {
      await look(running).catch(() => undefined);
      await systemClock.sleep(Math.min(LOOK_MS, pollMs), signal);
    }
  };
  await lookOn(draining.signal);
  const ended = new AbortController();
  const looking = lookOn(ended.signal);
  await finish(running);
  ended.abort();
  await Promise.all([looking, watching]);
  const inTime = AbortSignal.timeout(CLOSE_MS);
  // Turns that have not ended are left to the others, as if this worker had died.
  if (turns.known().size > 0) await session.end();
  else await patiently(() => session.signOff(), inTime).catch(() => session.end());
}

async function start(input: Work): Promise<Running> {
  const { db, client, options, graceMs, pollMs, worker } = input;
  const { capacity, attempts, turnTimeoutMs } = options;
  if (db.driver.DBOS.isInitialized()) throw new Error('one process can be one worker only');
  const executor = `${worker}/${randomUUID()}`;
  const deadlineMs = turnTimeoutMs === null ? null : turnTimeoutMs + graceMs;
  const session = openSession(db, { executor, worker, host: hostname(), capacity }, graceMs);
  const turns = openTurns({
    ...input,
    queue: client.queue,
    applicant: { executor, attempts, deadlineMs, before: await options.usedBefore() },
    timeoutMs: turnTimeoutMs,
    // Derived from the poll: a second, 5 and 30 by default.
    retryPausesMs: [pollMs / 5, pollMs, 6 * pollMs],
    draining: input.draining.signal,
  });
  const running = { ...input, executor, session, turns };
  try {
    await look(running);
    await launch(running);
  } catch (error) {
    await session.end();
    await db.driver.DBOS.shutdown({ deregister: true }).catch(() => undefined);
    throw db.unavailable(error);
  }
  return running;
}

async function launch({ db, options, pollMs, executor, turns }: Running): Promise<void> {
  const { DBOS, registerQueue } = db.driver;
  // The id names the turn, and the body knows whether it is still to be taken: it has no steps to repeat.
  DBOS.registerWorkflow((dispatch: Dispatch) => turns.run(dispatch), { name: WORKFLOW });
  registerQueue(QUEUE, { workerConcurrency: options.capacity, minPollingIntervalMs: pollMs });
  DBOS.setConfig({
    name: 'ralph',
    systemDatabaseUrl: db.url,
    systemDatabasePool: db.pool,
    applicationVersion: VERSION,
    executorID: executor,
    logger: SILENT,
    useListenNotify: false,
    runMigrations: false,
  });
  await DBOS.launch();
}

/** Shows that this worker lives, and learns what became of its turns, and whether the fleet is drained. */
async function look({ db, client, session, turns, draining, graceMs }: Running): Promise<void> {
  // Read before the query: a turn that begins during it is missing from the answer.
  const underWay = turns.underWay();
  const rows = await session.query<{ state: string; turns: readonly Dispatch[] }>(
    `WITH seen AS (UPDATE ralph.workers SET seen = ${NOW} WHERE executor = $1 AND seen < ${NOW} - ${graceMs / 4})
     SELECT w.state, coalesce((SELECT json_agg(json_build_object('stream', stream, 'n', turn, 'dispatch', dispatch))
       FROM ralph.streams s WHERE s.executor = w.executor AND s.state = 'working'), '[]') AS turns
     FROM ralph.workers w WHERE w.executor = $1`,
  );
  const [row] = rows;
  if (!row) return;
  if (row.state === 'draining') draining.abort();
  const current = new Set(row.turns.map(workflowId));
  turns.stop(underWay.filter((id) => !current.has(id)));
  const known = turns.known();
  for (const one of row.turns) {
    if (known.has(workflowId(one))) continue;
    await dispatchAgain(db, client.queue, one, { text: 'its result could not be recorded', counts: true });
  }
}

async function keepWatch({ db, client, executor, turns, graceMs, draining }: Running): Promise<void> {
  const pause = Math.min(Math.max(100, graceMs / WATCHES_PER_GRACE), SELDOM_MS);
  let forgetAt = 0;
  for (;;) {
    await systemClock.sleep(pause, draining.signal);
    if (draining.signal.aborted) return;
    try {
      await watch(db, client.queue, graceMs, pause);
      await requeueLostTurns(db, client.queue, executor, turns.known(), graceMs);
      if (performance.now() < forgetAt) continue;
      await forgetOld(client.queue);
      forgetAt = performance.now() + FORGET_EVERY_MS;
    } catch {
      // The database is briefly unreachable, for the others too; the next look catches up.
    }
  }
}

/** Begins nothing more, and waits for the active turns: as long as they take, or briefly when the engine is closed. */
async function finish({ db, turns, executor, closing }: Running): Promise<void> {
  const { DBOS, queueRunner } = db.driver;
  queueRunner.stop();
  await db.pool
    .query(`UPDATE ralph.workers SET state = 'draining' WHERE executor = $1`, [executor])
    .catch(() => undefined);
  await settledOrClosed(turns, closing);
  await DBOS.shutdown({ deregister: true });
  // Turns that the queue handed over at the last moment are given back.
  await settledOrClosed(turns, closing);
}

async function settledOrClosed(turns: Turns, closing: AbortSignal): Promise<void> {
  const patience = new AbortController();
  const hurry = () => void systemClock.sleep(CLOSE_MS, patience.signal).then(() => patience.abort());
  if (closing.aborted) hurry();
  else closing.addEventListener('abort', hurry);
  await Promise.race([turns.settled(), aborted(patience.signal)]);
  closing.removeEventListener('abort', hurry);
  patience.abort();
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}

/** How other workers see this one. */
interface Identity {
  /** Unique to this start. */
  readonly executor: string;
  readonly worker: string;
  readonly host: string;
  readonly capacity: number;
}

/**
 * The session whose advisory lock shows that its worker lives: PostgreSQL releases the lock when the session ends, for
 * any reason. A broken session is replaced on its next use. One caller uses it at a time.
 */
interface Session {
  query<Row extends QueryResultRow>(text: string): Promise<readonly Row[]>;
  /** Signs off: nothing is left for others to take over. */
  signOff(): Promise<void>;
  /** Ends it as if the worker had died. */
  end(): Promise<void>;
}

/** @param graceMs within which both sides notice a cut network */
function openSession({ driver, connection }: Database, identity: Identity, graceMs: number): Session {
  let client: Client | null = null;
  const key = lockKey(identity.executor);
  const open = async () => {
    const opened = new driver.Client({ ...connection, query_timeout: Math.max(graceMs, 2000) });
    // The current query, or the next one, fails as well.
    opened.on('error', () => undefined);
    try {
      await opened.connect();
      await noticeCut(opened, graceMs);
      await opened.query(`SELECT pg_advisory_lock(${key})`);
      await signOn(opened, identity, key);
    } catch (error) {
      await drop(opened);
      throw error;
    }
    return opened;
  };
  return {
    async query<Row extends QueryResultRow>(text: string) {
      client ??= await open();
      try {
        return (await client.query<Row>(text, [identity.executor])).rows;
      } catch (error) {
        await drop(client);
        client = null;
        throw error;
      }
    },
    async signOff() {
      await this.query(`DELETE FROM ralph.workers WHERE executor = $1`);
      await this.end();
    },
    async end() {
      if (client) await drop(client);
      client = null;
    },
  };
}

async function signOn(client: Client, { executor, worker, host, capacity }: Identity, key: bigint): Promise<void> {
  await client.query(
    `INSERT INTO ralph.workers (executor, lock_key, name, host, capacity, since, seen)
     VALUES ($1, ${key}, $2, $3, $4, ${NOW}, ${NOW})
     ON CONFLICT (executor) DO UPDATE SET missing_since = NULL,
       state = CASE workers.state WHEN 'gone' THEN 'working' ELSE workers.state END`,
    [executor, worker, host, capacity],
  );
}

/** The server's side: without this it keeps a session for hours after its machine lost its network. */
async function noticeCut(client: Client, graceMs: number): Promise<void> {
  const seconds = Math.max(1, Math.round(graceMs / 4000));
  await client.query(
    `SET tcp_keepalives_idle = ${seconds}; SET tcp_keepalives_interval = ${seconds}; SET tcp_keepalives_count = 3;
     SET tcp_user_timeout = ${Math.max(1000, Math.round(graceMs))}`,
  );
}

/** A polite end of a session waits for the other side, which may be gone. */
async function drop(client: Client): Promise<void> {
  const timer = setTimeout(() => client.connection.stream.destroy(), 1000);
  await client.end().catch(() => undefined);
  clearTimeout(timer);
}

/** 64 bits: with 32, two workers of a large fleet would now and then share a key. */
function lockKey(executor: string): bigint {
  return createHash('sha256').update(executor).digest().readBigInt64BE(0);
}
