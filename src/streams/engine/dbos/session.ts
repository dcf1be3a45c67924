import { createHash } from 'node:crypto';
import type { Client, QueryResultRow } from 'pg';
import type { Database } from './database.ts';
import { NOW } from './schema.ts';

/** How a worker shows itself to the others. */
export interface Identity {
  /** Of this start of it alone. */
  readonly executor: string;
  readonly worker: string;
  readonly host: string;
  readonly capacity: number;
}

/**
 * The session whose advisory lock says that its worker lives: PostgreSQL lets go of the lock when the session ends,
 * however it ends. A session that broke is replaced when it is used the next time. It is used by one caller at a time.
 */
export interface Session {
  query<Row extends QueryResultRow>(text: string): Promise<readonly Row[]>;
  /** Signs off: there is nothing left that others would have to take over. */
  signOff(): Promise<void>;
  /** Ends it as if the worker had died. */
  end(): Promise<void>;
}

/** @param graceMs within which a network that is cut is noticed on either side */
export function openSession({ driver, connection }: Database, identity: Identity, graceMs: number): Session {
  let client: Client | null = null;
  const key = lockKey(identity.executor);
  const open = async () => {
    const opened = new driver.Client({ ...connection, query_timeout: Math.max(graceMs, 2000) });
    // The query under way, or the next one, fails as well.
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

/** The server's side: without this it keeps a session for hours whose machine has lost its network. */
async function noticeCut(client: Client, graceMs: number): Promise<void> {
  const seconds = Math.max(1, Math.round(graceMs / 4000));
  await client.query(
    `SET tcp_keepalives_idle = ${seconds}; SET tcp_keepalives_interval = ${seconds}; SET tcp_keepalives_count = 3;
     SET tcp_user_timeout = ${Math.max(1000, Math.round(graceMs))}`,
  );
}

/** Ending a session politely waits for the other side, which may be gone. */
async function drop(client: Client): Promise<void> {
  const timer = setTimeout(() => client.connection.stream.destroy(), 1000);
  await client.end().catch(() => undefined);
  clearTimeout(timer);
}

/** 64 bits: of 32, two workers of a large fleet would now and then share one. */
function lockKey(executor: string): bigint {
  return createHash('sha256').update(executor).digest().readBigInt64BE(0);
}
