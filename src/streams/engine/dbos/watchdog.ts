import type { DBOSClient } from '@dbos-inc/dbos-sdk';
import { type Database, LOCKS, NOW } from './database.ts';
import { type Again, type Dispatch, dispatchAgain, dispatchOf, QUEUE, workflowId } from './dispatch.ts';

/** How long a dead worker stays visible. */
const SHOW_GONE_MS = 60 * 60_000;
/** Our code does not read the queue's records of ended turns; people may. */
const KEEP_MS = 7 * 24 * 60 * 60_000;
const FORGET_AT_ONCE = 10_000;

/**
 * Takes over what other workers left behind: turns of dead workers, turns that exceed their time, and turns that wait
 * at a hanging worker. Every worker checks periodically; one check per `everyMs` is enough for the whole fleet,
 * whatever its size.
 *
 * @param graceMs how long a worker must show no sign of life; longer than a restart of the database takes
 */
export async function watch(db: Database, queue: DBOSClient, graceMs: number, everyMs: number): Promise<void> {
  const missing = await missingWorkers(db, graceMs, everyMs);
  if (missing === null) return;
  for (const { executor, name, gone } of missing) {
    const why = gone
      ? { text: `its worker ${name} is gone`, counts: true }
      : { text: `its worker ${name} hangs`, counts: false, waiting: true };
    await giveAway(db, queue, await pendingOf(queue, executor), why);
  }
  await giveAway(db, queue, await overdue(db), { text: 'it took longer than a turn may', counts: true });
}

/**
 * Turns that the queue has handed to this worker but that it does not know: the connection broke in between.
 *
 * @param known ids of the turns it knows
 */
export async function requeueLostTurns(
  db: Database,
  queue: DBOSClient,
  executor: string,
  known: ReadonlySet<string>,
  graceMs: number,
): Promise<void> {
  const before = new Date(Date.now() - graceMs).toISOString();
  const pending = await pendingOf(queue, executor, before);
  const strays = pending.filter((one) => !known.has(workflowId(one)));
  await giveAway(db, queue, strays, { text: 'it was lost on its way to a worker', counts: true });
}

/** Deletes the queue's records of turns that ended long ago, some at a time. */
export async function forgetOld(queue: DBOSClient): Promise<void> {
  const old = await queue.listWorkflows({
    queueName: QUEUE,
    completedBefore: new Date(Date.now() - KEEP_MS).toISOString(),
    limit: FORGET_AT_ONCE,
    loadInput: false,
    loadOutput: false,
  });
  if (old.length > 0) await queue.deleteWorkflows(old.map(({ workflowID }) => workflowID));
}

interface Missing {
  readonly executor: string;
  readonly name: string;
  /** Its lock was free for longer than the grace; otherwise it holds the lock, and does nothing. */
  readonly gone: boolean;
}

/** @returns null when another worker has just checked */
async function missingWorkers(
  { transaction }: Database,
  graceMs: number,
  everyMs: number,
): Promise<readonly Missing[] | null> {
  return transaction(async (client) => {
    const lock = await client.query<{ got: boolean }>(`SELECT pg_try_advisory_xact_lock(${LOCKS.watchdog}) AS got`);
    if (!lock.rows[0]?.got) return null;
    const turn = await client.query(`UPDATE ralph.watch SET at = ${NOW} WHERE at < ${NOW} - ${everyMs / 2}`);
    if (turn.rowCount === 0) return null;
    // The locks are tried once, in a separate step, and freed with the end of the transaction.
    await client.query(
      `WITH look AS MATERIALIZED (
         SELECT executor, pg_try_advisory_xact_lock(lock_key) AS free FROM ralph.workers WHERE state <> 'gone'
       )
       UPDATE ralph.workers w SET missing_since = CASE WHEN free THEN coalesce(missing_since, ${NOW}) END
       FROM look WHERE w.executor = look.executor AND (free OR missing_since IS NOT NULL)`,
    );
    await client.query(`UPDATE ralph.workers SET state = 'gone' WHERE missing_since <= ${NOW} - ${graceMs}`);
    await client.query(
      `DELETE FROM ralph.workers WHERE state = 'gone' AND missing_since < ${NOW} - ${graceMs + SHOW_GONE_MS}`,
    );
    const { rows } = await client.query<Missing>(
      `SELECT executor, name, state = 'gone' AS gone FROM ralph.workers
       WHERE state = 'gone' OR seen < ${NOW} - ${2 * graceMs}`,
    );
    return rows;
  });
}

async function pendingOf(queue: DBOSClient, executor: string, dequeuedBefore?: string): Promise<readonly Dispatch[]> {
  const found = await queue.listWorkflows({
    executorId: executor,
    status: 'PENDING',
    queueName: QUEUE,
    loadInput: false,
    loadOutput: false,
    ...(dequeuedBefore === undefined ? {} : { dequeuedBefore }),
  });
  return found.map(({ workflowID }) => dispatchOf(workflowID));
}

async function overdue({ pool }: Database): Promise<readonly Dispatch[]> {
  const { rows } = await pool.query<Dispatch>(
    `SELECT stream, turn AS n, dispatch::float8 AS dispatch FROM ralph.streams
     WHERE state = 'working' AND deadline < ${NOW}`,
  );
  return rows;
}

/** First enqueued, then removed from the worker: if this process dies in between, the next check still finds it. */
async function giveAway(db: Database, queue: DBOSClient, turns: readonly Dispatch[], why: Again): Promise<void> {
  const given: string[] = [];
  for (const one of turns) {
    const again = await dispatchAgain(db, queue, one, why);
    if (again || why.waiting !== true) given.push(workflowId(one));
  }
  if (given.length > 0) await queue.cancelWorkflows(given);
}
