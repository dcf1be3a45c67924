/**
 * What a turn costs those whom a fleet shares: the database (a throw-away PostgreSQL of this machine, which forces nothing
 * to the disk) and the git remote (a bare repository beside it). The model of `bench/fleet.ts` reckons with these figures.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { openFleetGit } from '../src/adapters/git/fleet/open.ts';
import { admit } from '../src/streams/engine/dbos/admit.ts';
import { type OpenClient, openClient } from '../src/streams/engine/dbos/client.ts';
import { type Database, NOW, openDatabase } from '../src/streams/engine/dbos/database.ts';
import { type Dispatch, recordTurn } from '../src/streams/engine/dbos/dispatch.ts';
import { openDbosEngine } from '../src/streams/engine/dbos/engine.ts';
import { startPostgres } from '../test/support/postgres.ts';
import { backlogText, cleanEnvironment, makeRepository, temporaryFolder } from './support/repository.ts';
import { median, ms, quantile, report } from './support/statistics.ts';

const ROUNDS = 60;
const IDLE_MS = 12_000;
const NOTHING = { costUsd: 0, tokens: 0, calls: [] };
const APPLICANT = { executor: 'bench', attempts: 3, deadlineMs: 7_200_000, before: NOTHING, waiting: () => [] };
/** Streams, and agents that were started within the last hour. */
const SIZES = [
  [100, 100],
  [1000, 1000],
  [10_000, 8000],
  [10_000, 80_000],
] as const;

const server = await startPostgres();
try {
  const db = await openDatabase(server.url);
  const client = await openClient(db);
  for (const [streams, calls] of SIZES) await measureTurns(db, client, streams, calls);
  await client.close();
  await db.close();
  for (const pollMs of [5000, 1000]) await measureIdle(await server.database(`idle-${pollMs}`), pollMs);
} finally {
  await server.stop();
}
await measureGit();

async function measureTurns(db: Database, client: OpenClient, streams: number, calls: number): Promise<void> {
  await fill(db, client, streams, calls);
  const begin: number[] = [];
  const end: number[] = [];
  const refuse: number[] = [];
  await client.setLimits({ calls: 1_000_000 });
  for (let index = 0; index < ROUNDS; index++) {
    const next = await dispatched(db, index);
    begin.push(await timed(() => admit(db, next, APPLICANT)));
    const used = { ...NOTHING, calls: [Date.now()] };
    const result = { report: { outcome: { kind: 'next' } as const, used } };
    end.push(await timed(() => recordTurn(db, client.queue, next, result)));
  }
  await client.setLimits({ calls: 1 });
  for (let index = 0; index < ROUNDS; index++) {
    const next = await dispatched(db, index);
    refuse.push(await timed(() => admit(db, next, APPLICANT)));
  }
  const status = await timed(() => client.status());
  console.log(`${streams.toLocaleString('en')} streams, ${calls.toLocaleString('en')} agents within the hour`);
  for (const [name, times] of Object.entries({ 'begin a turn': begin, 'record it': end, 'refuse it': refuse }))
    report(`  ${name}`, ms(median(times)), `fastest tenth ${ms(quantile(times, 0.1))}`);
  report('  status', ms(status));
}

/** A fifth of the streams is under way; the rest waits. */
async function fill({ pool }: Database, client: OpenClient, streams: number, calls: number): Promise<void> {
  const known = (await client.status()).length;
  for (let index = known; index < streams; index++) await client.submit({ stream: `stream-${index}`, task: {} });
  await pool.query(
    `UPDATE ralph.streams SET state = 'working', executor = 'another' WHERE submitted > $1 AND state = 'ready'`,
    [Math.round(streams * 0.8)],
  );
  await pool.query('DELETE FROM ralph.calls');
  await pool.query(`INSERT INTO ralph.calls SELECT ${NOW} - (random() * 3500000)::bigint FROM generate_series(1, $1)`, [
    calls,
  ]);
  await pool.query('VACUUM ANALYZE');
}

async function dispatched({ pool }: Database, index: number): Promise<Dispatch> {
  const { rows } = await pool.query<Dispatch>(
    `SELECT stream, turn AS n, dispatch::float8 AS dispatch FROM ralph.streams WHERE stream = $1`,
    [`stream-${index}`],
  );
  const [row] = rows;
  if (!row) throw new Error('a stream is missing');
  return row;
}

/** A worker that finds nothing to do. */
async function measureIdle(url: string, pollMs: number): Promise<void> {
  const limits = { calls: null, maxCost: null, maxTokens: null };
  const options = { capacity: 4, concurrency: null, limits, usedBefore: async () => NOTHING, attempts: 3 };
  const engine = await openDbosEngine({ url, worker: 'idle', pollMs, options: { ...options, turnTimeoutMs: null } });
  const watcher = await openDatabase(url);
  const working = engine.work(async () => ({ outcome: { kind: 'next' }, used: NOTHING }));
  await wait(2000);
  const before = await activity(watcher);
  await wait(IDLE_MS);
  const after = await activity(watcher);
  const perSecond = (after.transactions - before.transactions) / (IDLE_MS / 1000);
  report(`idle worker that polls every ${pollMs / 1000} s`, `${perSecond.toFixed(1)} tx/s`);
  report('  its connections', String(after.connections - 1));
  await engine.drain();
  await working;
  await engine.close();
  await watcher.close();
}

async function activity({ pool }: Database): Promise<{ readonly transactions: number; readonly connections: number }> {
  // A session tells what it has done once a second at most.
  const { rows } = await pool.query<{ transactions: number; connections: number }>(
    `SELECT (xact_commit + xact_rollback)::float8 AS transactions, numbackends AS connections
     FROM pg_stat_database WHERE datname = current_database()`,
  );
  const [row] = rows;
  if (!row) throw new Error('the database does not know itself');
  return row;
}

async function measureGit(): Promise<void> {
  const folder = temporaryFolder();
  const project = join(folder, 'project');
  const env = cleanEnvironment(folder);
  mkdirSync(project);
  makeRepository(project, 300, { '.ralph/PRD-1/tasks.json': backlogText(20) });
  const git = (cwd: string, ...args: readonly string[]) => execFileSync('git', args, { cwd, env });
  git(project, 'branch', 'ralph/prd-1');
  git(folder, 'clone', '-q', '--bare', 'project', 'remote.git');
  const fleet = await openFleetGit({ remote: join(folder, 'remote.git'), folder: join(folder, 'w'), env, worker: 'w' });
  const stream = { stream: 'PRD-1', branch: 'ralph/prd-1' };
  const fetches: number[] = [];
  const pushes: number[] = [];
  for (let n = 1; n <= 20; n++) {
    const began = performance.now();
    const found = await fleet.checkOut(stream);
    fetches.push(performance.now() - began);
    if (found === null) throw new Error('the remote has no branch of the stream');
    const { root, base } = found;
    writeFileSync(join(root, 'work.txt'), `${n}\n`);
    git(root, 'add', '-A');
    git(root, '-c', 'user.name=Bench', '-c', 'user.email=bench@example.org', 'commit', '-qm', `turn ${n}`);
    pushes.push(await timed(() => fleet.push(stream, base, { 'outcome.json': `{"n":${n}}` })));
  }
  report('fetch, and a work tree of exactly that', ms(median(fetches)), `slowest ${ms(quantile(fetches, 1))}`);
  report('push of branch and state', ms(median(pushes)), `slowest ${ms(quantile(pushes, 1))}`);
}

async function timed(body: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await body();
  return performance.now() - began;
}
