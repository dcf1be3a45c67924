import { setTimeout as wait } from 'node:timers/promises';
import type { Pool, PoolClient, PoolConfig } from 'pg';
import { RalphError, UnavailableError, UsageError } from '../../../contracts/errors.ts';
import { type Driver, loadDriver } from './driver.ts';
import { LOCKS, MIGRATIONS } from './schema.ts';

const CONNECT_TIMEOUT_MS = 5000;
/** A connection whose other end is gone is noticed by then. */
const QUERY_TIMEOUT_MS = 20_000;
const IDLE_TRANSACTION_MS = 5000;
const OLDEST_SERVER = 130_000;
const RETRY_MS = { least: 100, most: 3000 } as const;

export interface Database {
  readonly driver: Driver;
  readonly pool: Pool;
  readonly url: string;
  /** For sessions of their own. */
  readonly connection: PoolConfig;
  /** All or nothing; one at a time wherever the first thing done is `lockFleet`. */
  transaction<T>(body: (client: PoolClient) => Promise<T>): Promise<T>;
  /** What goes wrong with the database, as people are told it. */
  unavailable(error: unknown): RalphError;
  close(): Promise<void>;
}

/**
 * Connects, and brings the tables up to date.
 * @param patienceMs how long it may take until the database is there: it may be starting, just as we are
 * @throws UsageError for what is no URL of PostgreSQL; UnavailableError when the database cannot be used
 */
export async function openDatabase(url: string, patienceMs = 0): Promise<Database> {
  const shown = shownUrl(url);
  const driver = await loadDriver();
  const connection: PoolConfig = {
    connectionString: url,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: QUERY_TIMEOUT_MS,
    keepAlive: true,
    // Who is stopped in the middle of a transaction must not hold up everybody else.
    idle_in_transaction_session_timeout: IDLE_TRANSACTION_MS,
    application_name: 'ralph',
  };
  const pool = new driver.Pool({ ...connection, max: 10 });
  // An idle connection that breaks is replaced when the next one is asked for.
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
 * Tries until the database answers again: it may be restarted, or the network be cut, in the middle of a turn.
 * @throws whatever else goes wrong; the last error when `signal` is aborted
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
  // While it is lent out, nobody else listens; the query under way fails as well.
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

/** Several may start at once: one migrates, the others wait for it. */
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

/** By asking, not by waiting: a statement that waits would hold up an index that is built concurrently. */
async function lockForMigration(client: PoolClient): Promise<void> {
  for (;;) {
    const { rows } = await client.query<{ got: boolean }>(`SELECT pg_try_advisory_lock(${LOCKS.migration}) AS got`);
    if (rows[0]?.got) return;
    await wait(100);
  }
}

/** An error that goes by itself once the database or the network is back. */
function isPassing(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = 'code' in error ? String(error.code) : '';
  if (/^(08|53|57P|40|55P03)/.test(code)) return true;
  if (/^(ECONN|EPIPE|ETIMEDOUT|EHOST|ENET|ENOTFOUND|EAI_AGAIN|ENOENT)/.test(code)) return true;
  return /terminat|timeout|Connection|connection/.test(error.message) && code === '';
}

/** The URL as it may be shown: without the password. */
function shownUrl(url: string): string {
  const parsed = URL.canParse(url) ? new URL(url) : null;
  if (parsed === null || !/^postgres(ql)?:$/.test(parsed.protocol)) {
    throw new UsageError({
      what: 'the engine is no PostgreSQL URL',
      why: 'a fleet shares its state by a PostgreSQL database',
      mend: ['give it as postgres://user@host:5432/database by --engine, or as RALPH_ENGINE'],
    });
  }
  return `${parsed.protocol}//${parsed.username ? `${parsed.username}@` : ''}${parsed.host}${parsed.pathname}`;
}

function tooOld(where: string, version: string | undefined): UnavailableError {
  return new UnavailableError({
    what: 'the PostgreSQL server of the fleet is too old',
    where,
    why: `its version is ${Math.floor(Number(version) / 10_000)}; 13 is the oldest that will do`,
    mend: ['use a server of a later version'],
  });
}

function tooNew(where: string, step: number): UnavailableError {
  return new UnavailableError({
    what: 'a later version of ralph has set up the database of the fleet',
    where,
    why: `its tables are at step ${step}, this version knows ${MIGRATIONS.length}`,
    mend: ['install the version of ralph that the rest of the fleet runs'],
  });
}

const MENDS: readonly (readonly [code: RegExp, mend: string])[] = [
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
  const known = MENDS.find(([pattern]) => pattern.test(code))?.[1];
  return new UnavailableError({
    what: 'the database of the fleet cannot be used',
    where,
    why: message.replace(/^error: /i, '').replace(/:\/\/([^:@/\s]*):[^@\s]*@/g, '://$1:[redacted]@'),
    mend: [known ?? 'see that the server runs and can be reached from here: pg_isready -d URL'],
  });
}
