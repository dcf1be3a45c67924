import { setTimeout as wait } from 'node:timers/promises';
import type { Pool, PoolClient, PoolConfig } from 'pg';
import { messageOf, RalphError, UnavailableError, UsageError } from '../../../contracts/index.ts';

const CONNECT_TIMEOUT_MS = 5000;
/** Within this time a connection whose other end is gone is noticed. */
const QUERY_TIMEOUT_MS = 20_000;
const IDLE_TRANSACTION_MS = 5000;
const OLDEST_SERVER = 130_000;
const RETRY_MS = { least: 100, most: 3000 } as const;

export interface Database {
  readonly driver: Driver;
  readonly pool: Pool;
  readonly url: string;
  /** For separate sessions. */
  readonly connection: PoolConfig;
  /** All or nothing; serialized when `lockFleet` comes first. */
  transaction<T>(body: (client: PoolClient) => Promise<T>): Promise<T>;
  /** A database error in a form for people. */
  unavailable(error: unknown): RalphError;
  close(): Promise<void>;
}

/**
 * Connects, and brings the tables up to date.
 * @param patienceMs how long to wait for the database, which may be starting at the same time
 * @throws UsageError for a URL that is not PostgreSQL's; UnavailableError when the database cannot be used
 */
export async function openDatabase(url: string, patienceMs = 0): Promise<Database> {
  const shown = shownUrl(url);
  const driver = await loadDriver();
  const connection: PoolConfig = {
    connectionString: url,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: QUERY_TIMEOUT_MS,
    keepAlive: true,
    // A process stopped in the middle of a transaction must not hold up all others.
    idle_in_transaction_session_timeout: IDLE_TRANSACTION_MS,
    application_name: 'ralph',
  };
  const pool = new driver.Pool({ ...connection, max: 10 });
  // A broken idle connection is replaced when the next one is requested.
  pool.on('error', () => undefined);
  try {
    const patience = patienceMs === 0 ? AbortSignal.abort() : AbortSignal.timeout(patienceMs);
    await patiently(() => migrate(driver, pool, url), patience);
  } catch (error) {
    await pool.end();
    throw unusable(error, shown);
  }
  return {
    driver,
    pool,
    url,
    connection,
    transaction: (body) => transaction(pool, body),
    unavailable: (error) => unusable(error, shown),
    close: () => pool.end(),
  };
}

/**
 * Tries until the database answers again: it may restart, or the network may fail, in the middle of a turn.
 * @throws any other error; the last error when `signal` is aborted
 */
export async function patiently<T>(body: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (let pause: number = RETRY_MS.least; ; pause = Math.min(2 * pause, RETRY_MS.most)) {
    try {
      return await body();
    } catch (error) {
      if (signal.aborted || !isPassing(error)) throw error;
      await wait(pause, undefined, { signal }).catch(() => undefined);
    }
  }
}

async function transaction<T>(pool: Pool, body: (client: PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  // While the connection is lent out there is no other listener; the current query fails as well.
  const ignore = () => undefined;
  client.on('error', ignore);
  let broken: Error | undefined;
  try {
    await client.query('BEGIN');
    const result = await body(client);
    await client.query('COMMIT');
    return result;
  } catch (error) {
    broken = await client.query('ROLLBACK').then(
      () => undefined,
      (failure: Error) => failure,
    );
    throw error;
  } finally {
    client.off('error', ignore);
    client.release(broken);
  }
}

/** Several processes may start at once: one migrates, the others wait for it. */
async function migrate(driver: Driver, pool: Pool, url: string): Promise<void> {
  const client = await pool.connect();
  try {
    const { rows } = await client.query<{ version: string }>(`SELECT current_setting('server_version_num') AS version`);
    if (Number(rows[0]?.version) < OLDEST_SERVER) throw tooOld(shownUrl(url), rows[0]?.version);
    await lockForMigration(client);
    try {
      await client.query(`CREATE SCHEMA IF NOT EXISTS ralph`);
      await client.query(`CREATE TABLE IF NOT EXISTS ralph.migrations (step integer PRIMARY KEY)`);
      const done = await client.query<{ step: number }>(`SELECT max(step) AS step FROM ralph.migrations`);
      const from = done.rows[0]?.step ?? 0;
      if (from > MIGRATIONS.length) throw tooNew(shownUrl(url), from);
      for (const [i, text] of MIGRATIONS.entries()) {
        if (i < from) continue;
        await client.query(`BEGIN; ${text}; INSERT INTO ralph.migrations VALUES (${i + 1}); COMMIT`);
      }
      await driver.migrateTables(url, pool);
    } finally {
      await client.query(`SELECT pg_advisory_unlock(${LOCKS.migration})`).catch(() => undefined);
    }
  } finally {
    client.release();
  }
}

/** Polls: a blocked statement would hold up an index that is built concurrently. */
async function lockForMigration(client: PoolClient): Promise<void> {
  for (;;) {
    const { rows } = await client.query<{ got: boolean }>(`SELECT pg_try_advisory_lock(${LOCKS.migration}) AS got`);
    if (rows[0]?.got) return;
    await wait(100);
  }
}

/** An error that goes away once the database or the network is back. */
function isPassing(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = 'code' in error ? String(error.code) : '';
  if (/^(08|53|57P|40|55P03)/.test(code)) return true;
  if (/^(ECONN|EPIPE|ETIMEDOUT|EHOST|ENET|ENOTFOUND|EAI_AGAIN|ENOENT)/.test(code)) return true;
  return /terminat|timeout|Connection|connection/.test(error.message) && code === '';
}

/** The URL in a form to show: without the password. */
function shownUrl(url: string): string {
  const parsed = URL.canParse(url) ? new URL(url) : null;
  if (parsed === null || !/^postgres(ql)?:$/.test(parsed.protocol)) {
    throw new UsageError({
      what: 'the engine is not a PostgreSQL URL',
      why: 'a fleet shares its state in a PostgreSQL database',
      fix: ['give it as postgres://user@host:5432/database by --engine, or as RALPH_ENGINE'],
    });
  }
  return `${parsed.protocol}//${parsed.username ? `${parsed.username}@` : ''}${parsed.host}${parsed.pathname}`;
}

function tooOld(where: string, version: string | undefined): UnavailableError {
  return new UnavailableError({
    what: 'the PostgreSQL server of the fleet is too old',
    where,
    why: `its version is ${Math.floor(Number(version) / 10_000)}; 13 is the oldest supported`,
    fix: ['use a newer server'],
  });
}

function tooNew(where: string, step: number): UnavailableError {
  return new UnavailableError({
    what: 'a later version of ralph has set up the database of the fleet',
    where,
    why: `its tables are at step ${step}, this version knows ${MIGRATIONS.length}`,
    fix: ['install the version of ralph that the rest of the fleet runs'],
  });
}

const FIXES: readonly (readonly [code: RegExp, fix: string])[] = [
  [/^28/, 'check user and password: in the URL, in PGPASSWORD, or in ~/.pgpass'],
  [/^3D000$/, 'create the database: createdb NAME'],
  [/^42501$/, 'let the user create schemas in this database: GRANT CREATE ON DATABASE'],
  [/^(ENOTFOUND|EAI_AGAIN)/, 'check the name of the host in the URL'],
  [/^53300$/, 'raise max_connections of the server, or start fewer workers'],
];

function unusable(error: unknown, where: string): RalphError {
  if (error instanceof RalphError) return error;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const message = error instanceof AggregateError ? error.errors.map(String).join('; ') : String(error);
  const known = FIXES.find(([pattern]) => pattern.test(code))?.[1];
  return new UnavailableError({
    what: 'the database of the fleet cannot be used',
    where,
    why: message.replace(/^error: /i, '').replace(/:\/\/([^:@/\s]*):[^@\s]*@/g, '://$1:[redacted]@'),
    fix: [known ?? 'check that the server runs and can be reached from here: pg_isready -d URL'],
  });
}

const INSTALL = 'npm install @dbos-inc/dbos-sdk@5 pg@8';

type Driver = Awaited<ReturnType<typeof load>>;

/** The packages that only a fleet needs. @throws UnavailableError when they are missing or have another version */
async function loadDriver(): Promise<Driver> {
  try {
    return await load();
  } catch (error) {
    throw new UnavailableError({
      what: 'the packages that a fleet needs cannot be used: @dbos-inc/dbos-sdk and pg',
      why: messageOf(error),
      fix: [`install them beside ralph: ${INSTALL}`],
    });
  }
}

async function load() {
  const [sdk, queues, tables, logs, pg] = await Promise.all([
    import('@dbos-inc/dbos-sdk'),
    // Queues whose settings stay in this process: database-backed settings are the same for every worker, but each
    // worker has its own capacity.
    import('@dbos-inc/dbos-sdk/internal/wfqueue'),
    // The public way to migrate tries to create databases, and prints.
    import('@dbos-inc/dbos-sdk/internal/system_database'),
    import('@dbos-inc/dbos-sdk/internal/telemetry/logs'),
    import('pg'),
  ]);
  if (typeof queues.registerInternalQueue !== 'function') throw new Error('this version of DBOS is not known to ralph');
  return {
    DBOS: sdk.DBOS,
    DBOSClient: sdk.DBOSClient,
    registerQueue: queues.registerInternalQueue,
    queueRunner: queues.wfQueueRunner,
    migrateTables: (url: string, pool: Pool) =>
      tables.ensureSystemDatabase(url, new logs.GlobalLogger(undefined, { logger: SILENT }), pool, 'dbos', false),
    Pool: pg.default.Pool,
    Client: pg.default.Client,
  };
}

/** Suppresses the library's output: messages for people come from us. */
export const SILENT = {
  info: () => undefined,
  debug: () => undefined,
  warn: () => undefined,
  error: () => undefined,
} as const;

/**
 * Our own tables beside those of DBOS. DBOS keeps the next work; these keep what a fleet has to know at once and
 * consistently: the state of every stream, the workers, and what the shared limits leave. Reading that from the
 * workflows would mean listing all of them. Times are epoch milliseconds of the database's clock.
 * Each entry is one step; a released step is never changed.
 */
const MIGRATIONS: readonly string[] = [
  `CREATE TABLE ralph.fleet (
     one boolean PRIMARY KEY DEFAULT true CHECK (one),
     concurrency integer,
     calls integer,
     max_cost double precision,
     max_tokens bigint,
     -- Used by the streams that are open, and by those that ended beside them.
     spent_usd double precision NOT NULL DEFAULT 0,
     spent_tokens bigint NOT NULL DEFAULT 0,
     -- No turn begins before.
     hold_until bigint,
     hold_text text NOT NULL DEFAULT '',
     -- The stream that reported it.
     hold_by text NOT NULL DEFAULT ''
   );
   INSERT INTO ralph.fleet DEFAULT VALUES;
   CREATE TABLE ralph.streams (
     stream text PRIMARY KEY,
     submitted bigserial,
     task jsonb,
     state text NOT NULL,
     -- The turn to be taken.
     turn integer NOT NULL DEFAULT 1,
     -- Of that turn, that were begun.
     attempts integer NOT NULL DEFAULT 0,
     -- Counts every time that a turn was handed to the queue. Only the last one counts: a worker that comes with an
     -- older one was given up.
     dispatch bigint NOT NULL DEFAULT 0,
     -- The dispatch whose result was recorded last.
     recorded bigint NOT NULL DEFAULT 0,
     executor text,
     -- After which a turn under way is taken from its worker.
     deadline bigint,
     until bigint,
     text text NOT NULL DEFAULT '',
     cost_usd double precision NOT NULL DEFAULT 0,
     reason text,
     exit_code integer,
     -- Waits for its turn since then.
     waits_since bigint NOT NULL DEFAULT 0,
     -- A worker that has this turn in its hands asked for it last, and had to wait.
     asked bigint NOT NULL DEFAULT 0,
     -- How often in a row the turn came back without a fault of the stream.
     given_back integer NOT NULL DEFAULT 0
   );
   CREATE INDEX streams_by_executor ON ralph.streams (executor) WHERE state = 'working';
   CREATE TABLE ralph.workers (
     executor text PRIMARY KEY,
     -- Of the advisory lock that its session holds for as long as it lives.
     lock_key bigint NOT NULL,
     name text NOT NULL,
     host text NOT NULL,
     capacity integer NOT NULL,
     state text NOT NULL DEFAULT 'working',
     since bigint NOT NULL,
     -- Its lock is free since then.
     missing_since bigint,
     -- When it looked after its turns last, now and then: a worker that hangs keeps its lock.
     seen bigint NOT NULL,
     -- Takes no turns until then.
     paused_until bigint,
     paused_text text NOT NULL DEFAULT ''
   );
   CREATE TABLE ralph.watch (at bigint NOT NULL);
   INSERT INTO ralph.watch VALUES (0);
   CREATE TABLE ralph.calls (at bigint NOT NULL);
   CREATE INDEX calls_by_time ON ralph.calls (at);`,
];

/** The current time in SQL, in the unit of the tables. */
export const NOW = '(extract(epoch FROM clock_timestamp()) * 1000)::bigint';

/** Keys of advisory locks that belong to no worker. */
export const LOCKS = { migration: '7881698101', watchdog: '7881698102' } as const;
