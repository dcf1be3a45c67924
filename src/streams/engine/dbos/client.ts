import type { DBOSClient } from '@dbos-inc/dbos-sdk';
import type { SharedLimits, StreamStanding, WorkerStanding } from '../../../contracts/index.ts';
import { refuseOddName } from '../../names.ts';
import type { Engine, Submission } from '../port.ts';
import { type Database, NOW, openDatabase, patiently, SILENT } from './database.ts';
import { enqueue, lockFleet, workflowId } from './dispatch.ts';

const PATIENCE_MS = 5000;

/** Limits of the whole fleet. They are kept in its database: the last write wins. */
interface FleetLimits extends SharedLimits {
  /** Turns at a time. */
  readonly concurrency: number | null;
}

/** Operations on a fleet for callers that are not its workers. */
export interface EngineClient extends Pick<Engine, 'submit' | 'cancel' | 'workers' | 'close'> {
  /** As in an engine. `resetCircuit`: the next turn closes the circuit breaker first; the task carries this. */
  retry(stream: string, more?: { readonly resetCircuit?: boolean }): Promise<boolean>;
  status(): Promise<readonly FleetStreamStanding[]>;
  figures(): Promise<FleetFigures>;
  /** Every current worker finishes its turns and ends. */
  drain(all: true): Promise<void>;
  /** Limits not named stay; null removes one. */
  setLimits(limits: Partial<FleetLimits>): Promise<void>;
}

/**
 * @throws UsageError for a URL that is not PostgreSQL's; UnavailableError when the database cannot be used, or the
 *   packages it needs are not installed
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

/** On an open database; `close` leaves it open. */
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
    // A budget covers the streams open at one time. Once all have ended, the next starts with a full one.
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
    // With the next number an active turn no longer counts: its worker notices that, and ends it.
    return client.query<{ turn: number; dispatch: string }>(
      `UPDATE ralph.streams SET state = 'cancelled', dispatch = dispatch + 1, executor = NULL, deadline = NULL,
         until = NULL, text = ''
       WHERE stream = $1 AND state NOT IN ('done', 'cancelled') RETURNING turn, dispatch - 1 AS dispatch`,
      [stream],
    );
  });
  const [row] = rows;
  if (!row) return false;
  // Only removes it from the queue; if that fails, the turn is still not admitted.
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
    // A user who retries it no longer trusts the hold that it reported for all.
    await client.query(`UPDATE ralph.fleet SET hold_until = NULL WHERE hold_by = $1`, [stream]);
    await enqueue(queue, client, stream, null);
    return true;
  });
}

/** A stream of a fleet, with the branch that its task names; null for a task that names none. */
type FleetStreamStanding = StreamStanding & { readonly branch: string | null };

/** Limits of the whole fleet, null for none, and how much of each is used. */
export interface FleetFigures {
  readonly concurrency: number | null;
  readonly calls: number | null;
  readonly maxCost: number | null;
  readonly maxTokens: number | null;
  /** By the open streams, and by those that ended while these were open. */
  readonly spentUsd: number;
  readonly spentTokens: number;
  /** Agents started within the last hour. */
  readonly started: number;
}

async function fleetFigures({ pool }: Database): Promise<FleetFigures> {
  const { rows } = await pool.query<FleetFigures>(
    `SELECT concurrency, calls, max_cost AS "maxCost", max_tokens::float8 AS "maxTokens", spent_usd AS "spentUsd",
       spent_tokens::float8 AS "spentTokens",
       (SELECT count(*) FROM ralph.calls WHERE at > ${NOW} - 3600000)::integer AS started
     FROM ralph.fleet`,
  );
  const [row] = rows;
  if (!row) throw new Error('the table of the fleet is empty');
  return row;
}

/** In submission order. */
async function streamStandings({ pool }: Database): Promise<readonly FleetStreamStanding[]> {
  // A rest that is over no longer counts, though the queue may need a moment to notice.
  const { rows } = await pool.query<StreamRow>(
    `SELECT stream, task->>'branch' AS branch, turn - 1 AS turns, attempts, w.name AS worker, text, cost_usd, reason, exit_code,
       CASE WHEN s.state = 'later' AND until <= ${NOW} THEN 'ready'
         WHEN s.state = 'done' AND reason <> 'complete' THEN 'ended' ELSE s.state END AS state,
       CASE WHEN s.state = 'later' AND until > ${NOW} THEN until END::float8 AS until
     FROM ralph.streams s LEFT JOIN ralph.workers w USING (executor) ORDER BY submitted`,
  );
  return rows.map(({ cost_usd, reason, exit_code, ...row }) => ({
    ...row,
    costUsd: cost_usd,
    ended: reason === null || exit_code === null ? null : { reason, exitCode: exit_code },
  }));
}

type Ended = NonNullable<StreamStanding['ended']>;

type StreamRow = Omit<FleetStreamStanding, 'costUsd' | 'ended'> & {
  readonly cost_usd: number;
  readonly reason: Ended['reason'] | null;
  readonly exit_code: Ended['exitCode'] | null;
};

/** Oldest first. A worker that returned under its old name is shown once. */
async function workerStandings({ pool }: Database): Promise<readonly WorkerStanding[]> {
  const { rows } = await pool.query<WorkerStanding>(
    `SELECT CASE WHEN paused_until > ${NOW} THEN json_build_object('until', paused_until, 'text', paused_text) END AS paused,
       w.name AS worker, host, capacity, since::float8 AS since, w.state,
       coalesce((SELECT array_agg(stream ORDER BY submitted) FROM ralph.streams s
                 WHERE s.executor = w.executor AND s.state = 'working'), '{}') AS streams
     FROM ralph.workers w
     WHERE w.state <> 'gone' OR NOT EXISTS (SELECT 1 FROM ralph.workers o WHERE o.name = w.name AND o.state <> 'gone')
     ORDER BY since, name`,
  );
  return rows;
}
