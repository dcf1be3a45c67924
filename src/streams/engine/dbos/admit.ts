import type { PoolClient } from 'pg';
import type { TurnUse } from '../../../contracts/index.ts';
import type { Turn } from '../port.ts';
import { type Database, NOW } from './database.ts';
import { type Dispatch, lockFleet } from './dispatch.ts';

const HOUR_MS = 60 * 60_000;

/** The worker that asks, and what only it knows. */
export interface Applicant {
  readonly executor: string;
  readonly attempts: number;
  /** After it others take the turn over; null: never. */
  readonly deadlineMs: number | null;
  readonly before: TurnUse;
  /** Streams whose turns the queue has handed to the worker, and that have not begun. */
  readonly waiting: () => readonly string[];
}

/** A waiting worker asks again within a second. */
const ASKED_MS = 3_000;

export type Admission =
  | { readonly kind: 'begin'; readonly turn: Omit<Turn, 'signal'> }
  /** A shared limit holds all workers back. */
  | { readonly kind: 'wait' }
  /** The asking worker must not take the turn: it was given to another, cancelled, or tried too often. */
  | { readonly kind: 'past' };

/**
 * May this turn begin? A worker asks when the queue has handed it the turn. Shared limits are checked here rather than
 * in the queue, because the queue knows only turns, and the limits are about agents and money, which turns report.
 */
export async function admit(
  { transaction }: Database,
  { stream, dispatch }: Dispatch,
  { executor, attempts, deadlineMs, before, waiting }: Applicant,
): Promise<Admission> {
  return transaction(async (client) => {
    await lockFleet(client);
    const { rows } = await client.query<{ turn: number; attempts: number; task: unknown; begun: boolean }>(
      `SELECT turn, attempts, task, state = 'working' AS begun FROM ralph.streams
       WHERE stream = $1 AND dispatch = $2 AND (state IN ('ready', 'later') OR (state = 'working' AND executor = $3))`,
      [stream, dispatch, executor],
    );
    const [row] = rows;
    if (!row) return { kind: 'past' };
    if (!row.begun && row.attempts >= attempts) {
      await client.query(`UPDATE ralph.streams SET state = 'failed', until = NULL WHERE stream = $1`, [stream]);
      return { kind: 'past' };
    }
    const fleet = await fleetNow(client);
    const begin = (attempt: number): Admission => ({
      kind: 'begin',
      turn: { stream, task: row.task, n: row.turn, attempt, left: leftOf(fleet, before) },
    });
    // Asked again, because the connection broke while the answer was in transit.
    if (row.begun) return begin(row.attempts);
    const { free, text } = roomFor(fleet, before);
    if (free <= (free === Number.POSITIVE_INFINITY ? 0 : await longerWaiting(client, stream))) {
      await client.query(`UPDATE ralph.streams SET state = 'ready', until = NULL, text = $2 WHERE stream = $1`, [
        stream,
        text,
      ]);
      await client.query(
        `UPDATE ralph.streams SET asked = ${NOW} WHERE stream = ANY($1) AND state IN ('ready', 'later')`,
        [waiting()],
      );
      return { kind: 'wait' };
    }
    await client.query(
      `UPDATE ralph.streams SET state = 'working', attempts = attempts + 1, executor = $2, until = NULL, text = '',
         deadline = ${NOW} + $3 WHERE stream = $1`,
      [stream, executor, deadlineMs],
    );
    return begin(row.attempts + 1);
  });
}

interface FleetNow {
  readonly now: number;
  readonly concurrency: number | null;
  readonly calls: number | null;
  readonly max_cost: number | null;
  readonly max_tokens: number | null;
  readonly spent_usd: number;
  readonly spent_tokens: number;
  readonly hold_until: number | null;
  readonly hold_text: string;
  readonly working: number;
  /** Agents started within the last hour, as far as turns have reported; not counted when there is no limit. */
  readonly started: number;
}

async function fleetNow(client: PoolClient): Promise<FleetNow> {
  await client.query(`DELETE FROM ralph.calls WHERE at <= ${NOW} - ${HOUR_MS}`);
  const { rows } = await client.query<FleetNow>(
    `SELECT ${NOW}::float8 AS now, concurrency, calls, max_cost, max_tokens::float8 AS max_tokens, spent_usd,
       spent_tokens::float8 AS spent_tokens, hold_until::float8 AS hold_until, hold_text,
       (SELECT count(*) FROM ralph.streams WHERE state = 'working')::integer AS working,
       CASE WHEN calls IS NULL THEN 0 ELSE (SELECT count(*) FROM ralph.calls) END::integer AS started
     FROM ralph.fleet`,
  );
  const [row] = rows;
  if (!row) throw new Error('the table of the fleet is empty');
  return row;
}

/**
 * How many turns wait longer than this one, at workers that are asking for them now: the queue is fair among turns that
 * no worker has taken from it, and this among the rest.
 */
async function longerWaiting(client: PoolClient, stream: string): Promise<number> {
  const { rows } = await client.query<{ older: number }>(
    `SELECT count(*)::integer AS older FROM ralph.streams o JOIN ralph.streams s ON s.stream = $1
     WHERE o.state IN ('ready', 'later') AND o.asked > ${NOW} - ${ASKED_MS}
       AND (o.waits_since, o.submitted) < (s.waits_since, s.submitted)`,
    [stream],
  );
  return rows[0]?.older ?? 0;
}

/** How many turns the shared limits allow to begin now, and what the others wait for. */
function roomFor(fleet: FleetNow, before: TurnUse): { readonly free: number; readonly text: string } {
  const { now, hold_until, concurrency, calls, working, started } = fleet;
  if (hold_until !== null && hold_until > now) return { free: 0, text: fleet.hold_text };
  const earlier = before.calls.filter((at) => at > now - HOUR_MS).length;
  const limits = [
    {
      free: concurrency === null ? Number.POSITIVE_INFINITY : concurrency - working,
      text: `the fleet takes ${concurrency} at a time`,
    },
    {
      // An active turn has not reported yet; it starts at least one agent.
      free: calls === null ? Number.POSITIVE_INFINITY : calls - earlier - started - working,
      text: `the fleet starts ${calls} ${calls === 1 ? 'agent' : 'agents'} within an hour`,
    },
  ];
  return limits.reduce((least, one) => (one.free < least.free ? one : least));
}

function leftOf({ max_cost, max_tokens, spent_usd, spent_tokens }: FleetNow, before: TurnUse): Turn['left'] {
  return {
    costUsd: max_cost === null ? null : Math.max(0, max_cost - spent_usd - before.costUsd),
    tokens: max_tokens === null ? null : Math.max(0, max_tokens - spent_tokens - before.tokens),
  };
}
