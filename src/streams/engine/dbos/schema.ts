/**
 * Our own tables beside those of DBOS. DBOS keeps the next work; these keep what a fleet has to know at once and
 * consistently: the state of every stream, the workers, and what the shared limits leave. Reading that from the
 * workflows would mean listing all of them. Times are epoch milliseconds of the database's clock.
 * Each entry is one step; a released step is never changed.
 */
export const MIGRATIONS: readonly string[] = [
  `CREATE TABLE ralph.fleet (
     one boolean PRIMARY KEY DEFAULT true CHECK (one),
     concurrency integer,
     calls integer,
     max_cost double precision,
     max_tokens bigint,
     -- Used by the streams that are open, and by those that ended beside them.
     spent_usd double precision NOT NULL DEFAULT 0,
     spent_tokens bigint NOT NULL DEFAULT 0,
     -- Nobody begins a turn before.
     hold_until bigint,
     hold_text text NOT NULL DEFAULT ''
   );
   INSERT INTO ralph.fleet DEFAULT VALUES;
   CREATE TABLE ralph.streams (
     stream text PRIMARY KEY,
     submitted bigserial,
     task jsonb,
     state text NOT NULL,
     -- The turn to be taken.
     turn integer NOT NULL DEFAULT 1,
     -- Of that turn, that were begun.
     attempts integer NOT NULL DEFAULT 0,
     -- Counts every time that a turn was handed to the queue. Only the last one counts: a worker that comes with an
     -- older one was given up.
     dispatch bigint NOT NULL DEFAULT 0,
     -- The dispatch whose result was recorded last.
     recorded bigint NOT NULL DEFAULT 0,
     executor text,
     -- After which a turn under way is taken from its worker.
     deadline bigint,
     until bigint,
     text text NOT NULL DEFAULT '',
     cost_usd double precision NOT NULL DEFAULT 0,
     reason text,
     exit_code integer
   );
   CREATE INDEX streams_by_executor ON ralph.streams (executor) WHERE state = 'working';
   CREATE TABLE ralph.workers (
     executor text PRIMARY KEY,
     -- Of the advisory lock that its session holds for as long as it lives.
     lock_key bigint NOT NULL,
     name text NOT NULL,
     host text NOT NULL,
     capacity integer NOT NULL,
     state text NOT NULL DEFAULT 'working',
     since bigint NOT NULL,
     -- Its lock is free since then.
     missing_since bigint,
     -- When it looked after its turns last, now and then: a worker that hangs keeps its lock.
     seen bigint NOT NULL
   );
   CREATE TABLE ralph.watch (at bigint NOT NULL);
   INSERT INTO ralph.watch VALUES (0);
   CREATE TABLE ralph.calls (at bigint NOT NULL);
   CREATE INDEX calls_by_time ON ralph.calls (at);`,
  // The stream that reported the hold.
  `ALTER TABLE ralph.fleet ADD COLUMN hold_by text NOT NULL DEFAULT ''`,
  `ALTER TABLE ralph.streams
     -- Waits for its turn since then.
     ADD COLUMN waits_since bigint NOT NULL DEFAULT 0,
     -- A worker that has this turn in its hands asked for it last, and had to wait.
     ADD COLUMN asked bigint NOT NULL DEFAULT 0,
     -- How often in a row the turn came back, and nobody blames the stream.
     ADD COLUMN given_back integer NOT NULL DEFAULT 0;
   ALTER TABLE ralph.workers
     -- Takes no turns until then.
     ADD COLUMN paused_until bigint,
     ADD COLUMN paused_text text NOT NULL DEFAULT ''`,
];

/** The current time in SQL, in the unit of the tables. */
export const NOW = '(extract(epoch FROM clock_timestamp()) * 1000)::bigint';

/** Keys of advisory locks that belong to no worker. */
export const LOCKS = { migration: '7881698101', watchdog: '7881698102' } as const;
