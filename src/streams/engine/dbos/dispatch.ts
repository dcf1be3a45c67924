import type { DBOSClient } from '@dbos-inc/dbos-sdk';
import type { PoolClient } from 'pg';
import type { Database } from './database.ts';
import { NOW } from './schema.ts';

export const QUEUE = 'ralph-turns';
export const WORKFLOW = 'ralph-turn';
/**
 * Version of the sequence of steps in the workflow: work of another version stays in the queue until a worker of that
 * version comes.
 */
export const VERSION = '1';

/** One hand-over of a turn to the queue. */
export interface Dispatch {
  readonly stream: string;
  readonly n: number;
  readonly dispatch: number;
}

/** The same in every process, so that two processes that enqueue the same turn do it once. */
export function workflowId({ stream, n, dispatch }: Dispatch): string {
  return `${stream}/${n}/${dispatch}`;
}

export function dispatchOf(id: string): Dispatch {
  const [stream = '', n, dispatch] = id.split('/');
  return { stream, n: Number(n), dispatch: Number(dispatch) };
}

/** A turn that was given up has queued already: it comes before turns that wait for the first time. */
const AT_ONCE = 'at-once';

/**
 * Enqueues the next turn, in the transaction that made it next. The stream that became ready first is first in the
 * queue: priorities are seconds, so this holds for streams that rested, too.
 *
 * @param ready epoch ms from which on it may be taken
 */
export async function enqueue(
  queue: DBOSClient,
  client: PoolClient,
  stream: string,
  ready: number | null | 'at-once',
): Promise<void> {
  const { rows } = await client.query<{ turn: number; dispatch: string; now: string }>(
    `UPDATE ralph.streams SET dispatch = dispatch + 1, executor = NULL, deadline = NULL, asked = 0,
       waits_since = CASE WHEN $2 THEN waits_since ELSE greatest($3::bigint, ${NOW}) END
     WHERE stream = $1 RETURNING turn, dispatch, ${NOW} AS now`,
    [stream, ready === AT_ONCE, typeof ready === 'number' ? Math.round(ready) : null],
  );
  const [row] = rows;
  if (!row) return;
  const dispatch = { stream, n: row.turn, dispatch: Number(row.dispatch) };
  const now = Number(row.now);
  const at = typeof ready === 'number' ? Math.max(ready, now) : now;
  await queue.enqueueInTransaction(
    client,
    {
      queueName: QUEUE,
      workflowName: WORKFLOW,
      workflowID: workflowId(dispatch),
      appVersion: VERSION,
      priority: ready === AT_ONCE ? 0 : 1 + Math.max(0, Math.floor(at / 1000) - PRIORITY_EPOCH_S),
      ...(at > now ? { delaySeconds: (at - now) / 1000 } : {}),
    },
    dispatch,
  );
}

/** How a turn is enqueued again. */
export interface Again {
  readonly text: string;
  /** Whether its start counts as an attempt. */
  readonly counts: boolean;
  /** Only if it has not begun. */
  readonly waiting?: boolean;
}

/** Enqueues a given-up turn again. False when that was done already, or it is given up for good. */
export async function dispatchAgain(
  { transaction }: Database,
  queue: DBOSClient,
  { stream, dispatch }: Dispatch,
  { text, counts, waiting = false }: Again,
): Promise<boolean> {
  return transaction(async (client) => {
    await lockFleet(client);
    const { rowCount } = await client.query(
      `UPDATE ralph.streams SET attempts = attempts - CASE WHEN state = 'working' THEN $4 ELSE 0 END,
         state = 'ready', until = NULL, text = $3
       WHERE stream = $1 AND dispatch = $2 AND (state IN ('ready', 'later') OR (state = 'working' AND NOT $5))`,
      [stream, dispatch, text, counts ? 0 : 1, waiting],
    );
    if (rowCount === 0) return false;
    await enqueue(queue, client, stream, AT_ONCE);
    return true;
  });
}

/** Changes of stream states happen one after another: short transactions, a few per turn. */
export async function lockFleet(client: PoolClient): Promise<void> {
  await client.query(`SELECT 1 FROM ralph.fleet FOR UPDATE`);
}

/** Priorities have 31 bits: seconds since 2026 fit for 68 years. */
const PRIORITY_EPOCH_S = Date.UTC(2026, 0, 1) / 1000;
