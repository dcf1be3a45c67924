import type { DBOSClient } from '@dbos-inc/dbos-sdk';
import type { PoolClient } from 'pg';
import type { TurnOutcome, TurnReport, TurnUse } from '../../../contracts/index.ts';
import { restMs } from '../port.ts';
import { type Database, NOW } from './database.ts';

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

/** A turn that ended or threw. */
export type TurnResult =
  | { readonly report: TurnReport }
  | {
      readonly failure: string;
      readonly attempt: number;
      readonly attempts: number;
      /** Milliseconds until the next try. */
      readonly pauseMs: number;
    }
  /** The turn is not at fault: it costs no attempt. */
  | { readonly givenBack: string; readonly here: boolean };

/**
 * Records the result of a turn and enqueues the stream's next one, both or neither. A result from a worker that was
 * given up meanwhile does not change the stream, but its usage still counts.
 */
export async function recordTurn(
  { transaction }: Database,
  queue: DBOSClient,
  { stream, dispatch }: Dispatch,
  result: TurnResult,
): Promise<void> {
  await transaction(async (client) => {
    await lockFleet(client);
    // A repeat, after the connection broke while the first time was being confirmed.
    const seen = await client.query(`SELECT 1 FROM ralph.streams WHERE stream = $1 AND recorded >= $2`, [
      stream,
      dispatch,
    ]);
    if (seen.rowCount !== 0) return;
    if ('report' in result) await addUse(client, stream, result.report.used);
    const { rowCount } = await client.query(
      `UPDATE ralph.streams SET recorded = $2, executor = NULL, deadline = NULL
       WHERE stream = $1 AND dispatch = $2 AND state = 'working'`,
      [stream, dispatch],
    );
    if (rowCount === 0) return;
    if ('report' in result) await goOn(client, queue, stream, result.report.outcome);
    else if ('givenBack' in result) await rest(client, queue, stream, result);
    else await fail(client, queue, stream, result);
  });
}

async function addUse(client: PoolClient, stream: string, { costUsd, tokens, calls }: TurnUse): Promise<void> {
  await client.query(`UPDATE ralph.fleet SET spent_usd = spent_usd + $1, spent_tokens = spent_tokens + $2`, [
    costUsd,
    Math.round(tokens),
  ]);
  await client.query(`UPDATE ralph.streams SET cost_usd = cost_usd + $2 WHERE stream = $1`, [stream, costUsd]);
  await client.query(`INSERT INTO ralph.calls SELECT unnest($1::bigint[])`, [calls.map(Math.round)]);
}

async function goOn(client: PoolClient, queue: DBOSClient, stream: string, outcome: TurnOutcome): Promise<void> {
  await client.query(`UPDATE ralph.streams SET turn = turn + 1, attempts = 0, given_back = 0 WHERE stream = $1`, [
    stream,
  ]);
  switch (outcome.kind) {
    case 'next':
      await client.query(`UPDATE ralph.streams SET state = 'ready', text = '' WHERE stream = $1`, [stream]);
      return enqueue(queue, client, stream, null);
    case 'later': {
      const { until, all } = outcome;
      const text = storable(outcome.text);
      await client.query(`UPDATE ralph.streams SET state = 'later', until = $2, text = $3 WHERE stream = $1`, [
        stream,
        until === null ? null : Math.round(until),
        text,
      ]);
      if (until === null) return;
      if (all) {
        await client.query(
          `UPDATE ralph.fleet SET hold_until = $1, hold_text = $2, hold_by = $3 WHERE coalesce(hold_until, 0) < $1`,
          [Math.round(until), `${stream}: ${text}`, stream],
        );
      }
      return enqueue(queue, client, stream, until);
    }
    case 'done':
      await client.query(
        `UPDATE ralph.streams SET state = 'done', reason = $2, exit_code = $3, text = $4 WHERE stream = $1`,
        [stream, outcome.reason, outcome.exitCode, storable(outcome.text)],
      );
  }
}

async function fail(
  client: PoolClient,
  queue: DBOSClient,
  stream: string,
  { failure, attempt, attempts, pauseMs }: Extract<TurnResult, { failure: string }>,
): Promise<void> {
  if (attempt < attempts) return waitFor(client, queue, stream, failure, pauseMs);
  await client.query(`UPDATE ralph.streams SET state = 'failed', text = $2 WHERE stream = $1`, [
    stream,
    storable(failure),
  ]);
}

/** Just long enough for another worker to be quicker; a worker with a local problem rests for longer. */
const ELSEWHERE_MS = 1_000;

async function rest(
  client: PoolClient,
  queue: DBOSClient,
  stream: string,
  { givenBack, here }: Extract<TurnResult, { givenBack: string }>,
): Promise<void> {
  const { rows } = await client.query<{ before: number }>(
    `UPDATE ralph.streams SET attempts = greatest(0, attempts - 1), given_back = given_back + 1 WHERE stream = $1
     RETURNING given_back - 1 AS before`,
    [stream],
  );
  await waitFor(client, queue, stream, givenBack, here ? ELSEWHERE_MS : restMs(rows[0]?.before ?? 0));
}

/** It is not first in the queue then: streams that became ready meanwhile have waited longer. */
async function waitFor(client: PoolClient, queue: DBOSClient, stream: string, text: string, ms: number): Promise<void> {
  const { rows } = await client.query<{ until: string }>(
    `UPDATE ralph.streams SET state = 'later', until = ${NOW} + $2, text = $3 WHERE stream = $1 RETURNING until`,
    [stream, Math.round(ms), storable(text)],
  );
  await enqueue(queue, client, stream, Number(rows[0]?.until ?? 0));
}

/** PostgreSQL stores every character except one (NUL). */
function storable(text: string): string {
  return text.replaceAll('\0', '');
}
