import type { Engine, EngineOptions } from '../port.ts';
import { openClient } from './client.ts';
import { openDatabase } from './database.ts';
import { work } from './work.ts';

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
