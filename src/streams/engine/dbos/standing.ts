import type { StreamStanding, WorkerStanding } from '../../../contracts/streams.ts';
import type { Database } from './database.ts';
import { NOW } from './schema.ts';

/** A stream of a fleet, with the branch that its task names; null for a task that names none. */
export type FleetStreamStanding = StreamStanding & { readonly branch: string | null };

/** Limits of the whole fleet, null for none, and what is used of them. */
export interface FleetFigures {
  readonly concurrency: number | null;
  readonly calls: number | null;
  readonly maxCost: number | null;
  readonly maxTokens: number | null;
  /** By the streams that are open, and by those that ended beside them. */
  readonly spentUsd: number;
  readonly spentTokens: number;
  /** Agents that were started within the last hour. */
  readonly started: number;
}

export async function fleetFigures({ pool }: Database): Promise<FleetFigures> {
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

/** In the order they were submitted. */
export async function streamStandings({ pool }: Database): Promise<readonly FleetStreamStanding[]> {
  // A rest that is over is none any more, though the queue may need a moment to notice.
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

/** Those that were there first come first. One that is gone, and came back under its name, is shown once. */
export async function workerStandings({ pool }: Database): Promise<readonly WorkerStanding[]> {
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
