import type { DBOSClient } from '@dbos-inc/dbos-sdk';
import type { SharedLimits } from '../../../contracts/streams.ts';
import { refuseOddName } from '../name.ts';
import type { Engine, Submission } from '../port.ts';
import { type Database, openDatabase, patiently } from './database.ts';
import { enqueue, lockFleet, workflowId } from './dispatch.ts';
import { SILENT } from './driver.ts';
import {
  type FleetFigures,
  type FleetStreamStanding,
  fleetFigures,
  streamStandings,
  workerStandings,
} from './standing.ts';

const PATIENCE_MS = 5000;

/** Limits of the whole fleet. They are kept in its database: who sets one last is right. */
export interface FleetLimits extends SharedLimits {
  /** Turns at a time. */
  readonly concurrency: number | null;
}

/** What can be done to a fleet without being one of its workers. */
export interface EngineClient extends Pick<Engine, 'submit' | 'cancel' | 'workers' | 'close'> {
  /** As an engine does it. `resetCircuit`: the next turn closes the circuit breaker first; the task says so. */
  retry(stream: string, more?: { readonly resetCircuit?: boolean }): Promise<boolean>;
  status(): Promise<readonly FleetStreamStanding[]>;
  figures(): Promise<FleetFigures>;
  /** Every worker that is there now finishes its turns and ends. */
  drain(all: true): Promise<void>;
  /** Those that are not named stay; null takes one away. */
  setLimits(limits: Partial<FleetLimits>): Promise<void>;
}

/**
 * @throws UsageError for what is no URL of PostgreSQL; UnavailableError when the database cannot be used, or the
 *   packages that it takes are not installed
 */
export async function openEngineClient(url: string): Promise<EngineClient> {
  const db = await openDatabase(url);
  const client = await openClient(db);
  let closed: Promise<void> | undefined;
  return {
    ...client,
    close() {
      closed ??= client.close().then(() => db.close());
      return closed;
    },
  };
}

export interface OpenClient extends EngineClient {
  readonly queue: DBOSClient;
}

/** On a database that is open already; `close` leaves it so. */
export async function openClient(db: Database): Promise<OpenClient> {
  const queue = await db.driver.DBOSClient.create({
    systemDatabaseUrl: db.url,
    systemDatabasePool: db.pool,
    logger: SILENT,
  });
  return {
    queue,
    submit: (submission) => submit(db, queue, submission),
    cancel: (stream) => cancel(db, queue, stream),
    retry: (stream, more) => retry(db, queue, stream, more?.resetCircuit ?? false),
    figures: () => fleetFigures(db),
    status: () => streamStandings(db),
    workers: () => workerStandings(db),
    async drain() {
      const all = () => db.pool.query(`UPDATE ralph.workers SET state = 'draining' WHERE state = 'working'`);
      // A watchdog may be changing the same rows in another order.
      await patiently(all, AbortSignal.timeout(PATIENCE_MS));
    },
    async setLimits(limits) {
      for (const [name, column] of Object.entries(LIMIT_COLUMNS)) {
        const value = limits[name as keyof FleetLimits];
        if (value !== undefined) await db.pool.query(`UPDATE ralph.fleet SET ${column} = $1`, [value]);
      }
    },
    close: () => queue.destroy(),
  };
}

const LIMIT_COLUMNS: Readonly<Record<keyof FleetLimits, string>> = {
  concurrency: 'concurrency',
  calls: 'calls',
  maxCost: 'max_cost',
  maxTokens: 'max_tokens',
};

async function submit(db: Database, queue: DBOSClient, { stream, task }: Submission): Promise<'submitted' | 'already'> {
  refuseOddName(stream);
  return db.transaction(async (client) => {
    await lockFleet(client);
    const known = await client.query<{ state: string }>(`SELECT state FROM ralph.streams WHERE stream = $1`, [stream]);
    const state = known.rows[0]?.state;
    if (state !== undefined && !['done', 'cancelled', 'failed'].includes(state)) return 'already';
    // A budget is for what is open at one time. Once everything has ended, the next begins with a full one.
    await client.query(
      `UPDATE ralph.fleet SET spent_usd = 0, spent_tokens = 0
       WHERE NOT EXISTS (SELECT 1 FROM ralph.streams WHERE state NOT IN ('done', 'cancelled'))`,
    );
    await client.query(
      `INSERT INTO ralph.streams (stream, task, state) VALUES ($1, $2, 'ready')
       ON CONFLICT (stream) DO UPDATE SET submitted = excluded.submitted, task = excluded.task, state = 'ready',
         turn = 1, attempts = 0, given_back = 0, until = NULL, text = '', cost_usd = 0, reason = NULL, exit_code = NULL`,
      [stream, JSON.stringify(task ?? null)],
    );
    await enqueue(queue, client, stream, null);
    return 'submitted';
  });
}

async function cancel(db: Database, queue: DBOSClient, stream: string): Promise<boolean> {
  const { rows } = await db.transaction(async (client) => {
    await lockFleet(client);
    // With the next number nothing that is under way counts any more: its worker sees that, and ends it.
    return client.query<{ turn: number; dispatch: string }>(
      `UPDATE ralph.streams SET state = 'cancelled', dispatch = dispatch + 1, executor = NULL, deadline = NULL,
         until = NULL, text = ''
       WHERE stream = $1 AND state NOT IN ('done', 'cancelled') RETURNING turn, dispatch - 1 AS dispatch`,
      [stream],
    );
  });
  const [row] = rows;
  if (!row) return false;
  // Only to have it out of the queue; where that fails, nobody is let in with it.
  const old = workflowId({ stream, n: row.turn, dispatch: Number(row.dispatch) });
  await queue.cancelWorkflow(old).catch(() => undefined);
  return true;
}

async function retry(db: Database, queue: DBOSClient, stream: string, resetCircuit: boolean): Promise<boolean> {
  return db.transaction(async (client) => {
    await lockFleet(client);
    const { rowCount } = await client.query(
      `UPDATE ralph.streams SET state = 'ready', attempts = 0, given_back = 0, until = NULL, text = '',
         reason = NULL, exit_code = NULL,
         task = CASE WHEN $2 THEN task || jsonb_build_object('resetCircuit', turn) ELSE task END
       WHERE stream = $1 AND (state IN ('failed', 'cancelled', 'later') OR (state = 'done' AND reason <> 'complete'))`,
      [stream, resetCircuit],
    );
    if (rowCount === 0) return false;
    // Whoever lets it go on does not believe any more what it was told for all.
    await client.query(`UPDATE ralph.fleet SET hold_until = NULL WHERE hold_by = $1`, [stream]);
    await enqueue(queue, client, stream, null);
    return true;
  });
}
