import type { DBOSClient } from '@dbos-inc/dbos-sdk';
import type { PoolClient } from 'pg';
import type { TurnOutcome, TurnReport, TurnUse } from '../../../contracts/index.ts';
import { restMs } from '../port.ts';
import type { Database } from './database.ts';
import { type Dispatch, enqueue, lockFleet } from './dispatch.ts';
import { NOW } from './schema.ts';

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
