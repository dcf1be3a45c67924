// @module-tag long
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { rolldown } from 'rolldown';
import { afterAll, beforeAll, describe, expect, it, type TestContext } from 'vitest';
import { openEngineClient } from '../../src/streams/engine/dbos/client.ts';
import { openDbosEngine } from '../../src/streams/engine/dbos/engine.ts';
import type { FixtureWorker, LogLine } from '../../src/streams/engine/dbos/worker.fixture.ts';
import type { EngineClient } from '../../src/streams/index.ts';
import { needs } from '../support/debian.ts';
import { type Postgres, startPostgres } from '../support/postgres.ts';
import { until } from '../support/until.ts';

const missing = await needs('postgres');

const WORKER = fileURLToPath(new URL('../../src/streams/engine/dbos/worker.fixture.ts', import.meta.url));
const MODULES = fileURLToPath(new URL('../../node_modules', import.meta.url));

/** In one file it starts in a fraction of the time. */
async function bundleWorker(folder: string): Promise<string> {
  const file = join(folder, 'worker.mjs');
  const bundle = await rolldown({ input: WORKER, platform: 'node', external: [/^@dbos-inc\//, /^pg$/] });
  await bundle.write({ file, format: 'esm', codeSplitting: false });
  await bundle.close();
  await symlink(MODULES, join(folder, 'node_modules'));
  return file;
}

// They mostly wait: for each other's databases, and for graces to pass.
describe.skipIf(missing).concurrent('a fleet on PostgreSQL', () => {
  let postgres: Postgres;
  let base: string;
  let program: string;
  let count = 0;

  beforeAll(async () => {
    base = await mkdtemp(join(tmpdir(), 'ralph-fleet-'));
    [postgres, program] = await Promise.all([startPostgres(), bundleWorker(base)]);
  });
  afterAll(async () => {
    await postgres?.stop();
    await rm(base, { recursive: true, force: true });
  });

  /** A fleet of its own, without workers. */
  const openFleet = async ({ onTestFinished }: Pick<TestContext, 'onTestFinished'>) => {
    const name = `failures_${++count}`;
    const log = join(base, `${name}.log`);
    const url = await postgres.database(name);
    const client: EngineClient = await openEngineClient(url);
    const workers: ChildProcess[] = [];
    onTestFinished(async () => {
      for (const one of workers) one.removeAllListeners('exit').kill('SIGKILL');
      await client.close();
    });
    const startWorker = (worker: string, options: Partial<FixtureWorker> = {}) => {
      // Long enough that a busy machine never makes a living worker look gone.
      const defaults = { capacity: 2, turnMs: 200, turns: 4, graceMs: 15_000, turnTimeoutMs: null };
      const input: FixtureWorker = { url, name: worker, log, ...defaults, ...options };
      const child = spawn(process.execPath, [program, JSON.stringify(input)], { stdio: 'inherit' });
      workers.push(child);
      return child;
    };
    const lines = async (): Promise<readonly LogLine[]> =>
      (await readFile(log, 'utf8').catch(() => ''))
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line));
    return {
      url,
      client,
      workers,
      startWorker,
      lines,
      submit: async (names: readonly string[]) => {
        for (const stream of names) await client.submit({ stream, task: null });
      },
      allDone: () => until(async () => (await client.status()).every(({ state }) => state === 'done')),
      begun: (worker: string) =>
        until(async () => (await lines()).some((line) => line.what === 'begin' && line.worker === worker)),
    };
  };
  const streams = (number: number) => Array.from({ length: number }, (_, i) => `PRD-${i + 1}`);

  it('serves the longest wait first, on any worker', async (context) => {
    const { client, startWorker, lines, submit, allDone } = await openFleet(context);
    await client.setLimits({ concurrency: 3 });
    await submit(streams(6));
    startWorker('w1', { capacity: 3, turns: 3 });
    startWorker('w2', { capacity: 3, turns: 3 });
    await allDone();
    const begins = (await lines()).filter(({ what }) => what === 'begin').map(({ stream }) => stream);
    // What no worker has in its hands yet cannot be compared: one turn ahead of that is nothing, two are unfair.
    for (const [i] of begins.entries()) {
      const had = streams(6).map((stream) => begins.slice(0, i + 1).filter((one) => one === stream).length);
      expect(Math.max(...had) - Math.min(...had), begins.join(' ')).toBeLessThanOrEqual(2);
    }
  });

  it('refuses a database that a later version has set up', async (context) => {
    const { url } = await openFleet(context);
    const db = new pg.Client({ connectionString: url });
    await db.connect();
    await db.query('INSERT INTO ralph.migrations VALUES (1000)');
    await db.end();
    await expect(openEngineClient(url)).rejects.toThrow('a later version of ralph');
  });

  it('goes on when workers are killed in the middle of turns: each of those is taken once more, by one', async (context) => {
    const { client, startWorker, lines, submit, allDone, begun } = await openFleet(context);
    await submit(streams(10));
    const killed = startWorker('w1', { turnMs: 600_000 });
    startWorker('w2');
    startWorker('w3');
    await begun('w1');
    killed.kill('SIGKILL');
    await allDone();
    const log = await lines();
    for (const stream of streams(10)) expect(order(log, stream)).toEqual([1, 2, 3, 4]);
    expect(overlaps(log, 'w1')).toEqual([]);
    const repeated = log.filter((line) => line.what === 'begin' && line.attempt > 1);
    const lost = open(log, 'w1');
    // One may have been admitted and not have begun yet: that one is not a repetition for an agent.
    const slot = ({ stream, n }: LogLine) => `${stream} ${n}`;
    const first = new Set(log.filter(({ what, attempt }) => what === 'begin' && attempt === 1).map(slot));
    expect(
      repeated
        .map(slot)
        .filter((one) => first.has(one))
        .sort(),
    ).toEqual(lost.map(slot).sort());
    expect(repeated.every(({ attempt }) => attempt === 2)).toBe(true);
    expect(lost.length).toBeGreaterThan(0);
    const gone = (await client.workers()).find(({ worker }) => worker === 'w1');
    expect(gone).toMatchObject({ state: 'gone', streams: [] });
  });

  it('counts a stream as failed whose turn has killed three workers', async (context) => {
    const { client, workers, startWorker, lines, submit } = await openFleet(context);
    await submit(['poison', 'good']);
    const again = (child: ChildProcess) => child.once('exit', () => again(startWorker('w')));
    again(startWorker('w'));
    await until(async () => (await client.status())[0]?.state === 'failed');
    for (const one of workers) one.removeAllListeners('exit');
    const tries = (await lines()).filter(({ stream, what }) => stream === 'poison' && what === 'begin');
    expect(tries.map(({ attempt }) => attempt)).toEqual([1, 2, 3]);
    expect((await client.status())[0]?.text).toBe('its worker w is gone');
    // Nobody knows which of the turns of a worker ended it: the other stream may have lost its attempts, too.
    if ((await client.status())[1]?.state === 'failed') await client.retry('good');
    startWorker('heir');
    await until(async () => (await client.status())[1]?.state === 'done');
  });

  it('takes a turn from a worker that hangs; what that worker says when it wakes up counts for nothing', async (context) => {
    const { client, startWorker, lines, submit, allDone, begun } = await openFleet(context);
    await submit(['PRD-1']);
    const options = { turnMs: 1000, turns: 2, capacity: 1, turnTimeoutMs: 8_000 };
    const hung = startWorker('hung', options);
    await begun('hung');
    hung.kill('SIGSTOP');
    startWorker('other', options);
    await until(async () => (await client.status())[0]?.turns === 1);
    hung.kill('SIGCONT');
    await allDone();
    await until(async () => open(await lines(), 'hung').length === 0);
    const log = await lines();
    expect(log.filter((line) => line.what === 'end' && line.worker === 'other').map(({ n }) => n)).toEqual(
      expect.arrayContaining([1]),
    );
    expect((await client.status())[0]).toMatchObject({ turns: 2, state: 'done' });
    expect(log.filter((line) => line.what === 'begin' && line.n === 1)).toHaveLength(2);
    await submit(['PRD-2']);
    await allDone();
    expect(hung.exitCode).toBeNull();
  });

  it('takes away what waits for a limit at a worker that hangs', async (context) => {
    const { client, startWorker, lines, submit, allDone } = await openFleet(context);
    await client.setLimits({ concurrency: 0 });
    await submit(['PRD-1']);
    const hung = startWorker('hung');
    await until(async () => (await client.status())[0]?.text === 'the fleet takes 0 at a time');
    hung.kill('SIGSTOP');
    startWorker('other');
    await client.setLimits({ concurrency: null });
    await allDone();
    expect((await lines()).every(({ worker, attempt }) => worker === 'other' && attempt === 1)).toBe(true);
  });

  it('drains: every worker ends its turns, and ends', async (context) => {
    const { client, startWorker, lines, submit, begun } = await openFleet(context);
    await submit(streams(6));
    const both = [startWorker('w1', { turns: 1000 }), startWorker('w2', { turns: 1000 })];
    await begun('w1');
    await begun('w2');
    const ended = both.map((one) => once(one, 'exit'));
    await client.drain(true);
    expect((await Promise.all(ended)).map(([code]) => code)).toEqual([0, 0]);
    expect(open(await lines(), 'w1')).toEqual([]);
    expect(open(await lines(), 'w2')).toEqual([]);
    expect((await client.status()).map(({ state }) => state)).toEqual(streams(6).map(() => 'ready'));
    expect(await client.workers()).toEqual([]);
  });

  it('keeps to the limits that were set last, wherever its workers are', async (context) => {
    const { client, startWorker, lines, submit, allDone } = await openFleet(context);
    await client.setLimits({ concurrency: 1 });
    await client.setLimits({ concurrency: 2, calls: 100 });
    await submit(streams(6));
    for (const name of ['w1', 'w2', 'w3']) startWorker(name, { turns: 2 });
    await allDone();
    expect(mostAtOnce(await lines())).toBe(2);
  });

  it('begins once when several start at the same time on an empty database', async () => {
    const empty = await postgres.database('empty');
    const all = await Promise.all(Array.from({ length: 4 }, () => openEngineClient(empty)));
    await all[0]!.submit({ stream: 'a', task: 1 });
    expect(await Promise.all(all.map((one) => one.submit({ stream: 'a', task: 1 })))).toEqual(Array(4).fill('already'));
    await Promise.all(all.map((one) => one.close()));
  });

  it.each([
    ['where nothing listens', () => 'postgres://una:s3cret@127.0.0.1:9/fleet', /ECONNREFUSED/, /pg_isready/],
    [
      'a wrong password',
      () => postgres.url.replace('thr0w-away', 's3cret'),
      /password authentication failed/,
      /PGPASSWORD/,
    ],
    ['no such database', () => `${postgres.url}_none`, /does not exist/, /createdb/],
  ])('tells what to do about %s, without the password', async (_, address, why, fix) => {
    const error = await openEngineClient(address()).catch((failure) => failure);
    expect(error).toMatchObject({ exitCode: 7, facts: { why: expect.stringMatching(why) } });
    expect(error.facts.fix[0]).toMatch(fix);
    expect(JSON.stringify(error.facts)).not.toMatch(/s3cret|thr0w/);
  });

  it('tells of a database that goes away between opening and the first look', async () => {
    const url = await postgres.database('short_lived');
    const none = { costUsd: 0, tokens: 0, calls: [] };
    const options = {
      capacity: 1,
      concurrency: null,
      limits: { calls: null, maxCost: null, maxTokens: null },
      usedBefore: async () => none,
      attempts: 1,
      turnTimeoutMs: null,
    };
    const engine = await openDbosEngine({ url, worker: 'w', options });
    await postgres.sql('DROP DATABASE short_lived WITH (FORCE)');
    const working = engine.work(() => Promise.reject(new Error('no turn')));
    await expect(working).rejects.toMatchObject({
      exitCode: 7,
      facts: { what: 'the database of the fleet cannot be used' },
    });
    await engine.close();
  });

  it('refuses what is no URL of PostgreSQL', async () => {
    for (const wrong of ['', 'fleet', 'mysql://una:s3cret@h/d', 'postgres:///%zz']) {
      const error = await openEngineClient(wrong).catch((failure) => failure);
      expect(error.exitCode, wrong).toBeGreaterThan(1);
      expect(JSON.stringify(error.facts)).not.toContain('s3cret');
    }
  });

  it.sequential('survives a restart of the database: no turn is lost, and none repeated', async (context) => {
    const { client, startWorker, lines, submit, allDone, begun } = await openFleet(context);
    await submit(streams(4));
    const options = { turnMs: 700, graceMs: 20_000 };
    const both = [startWorker('w1', options), startWorker('w2', options)];
    await begun('w1');
    await begun('w2');
    await postgres.restart(() => wait(1000));
    await allDone();
    const log = await lines();
    for (const stream of streams(4)) expect(order(log, stream)).toEqual([1, 2, 3, 4]);
    expect(log.every(({ attempt }) => attempt === 1)).toBe(true);
    expect(both.map(({ exitCode }) => exitCode)).toEqual([null, null]);
    expect((await client.workers()).map(({ state }) => state)).toEqual(['working', 'working']);
  });
});

/** Turns that came to their end, as they did. */
function order(log: readonly LogLine[], stream: string): readonly number[] {
  return log.filter((line) => line.stream === stream && line.what === 'end').map(({ n }) => n);
}

/** Turns of a worker that never came to their end. */
function open(log: readonly LogLine[], worker: string): readonly LogLine[] {
  const ended = new Set(log.filter(({ what }) => what !== 'begin').map(turnId));
  return log.filter((line) => line.worker === worker && line.what === 'begin' && !ended.has(turnId(line)));
}

/** Turns that began while another of the same stream was under way, except with `dead`. */
function overlaps(log: readonly LogLine[], dead: string): readonly LogLine[] {
  return log.filter((line, i) => {
    if (line.what !== 'begin') return false;
    const before = log.slice(0, i).filter((one) => one.stream === line.stream && one.worker !== dead);
    return before.filter(({ what }) => what === 'begin').length > before.filter(({ what }) => what !== 'begin').length;
  });
}

function mostAtOnce(log: readonly LogLine[]): number {
  let now = 0;
  return Math.max(...log.map(({ what }) => (now += what === 'begin' ? 1 : -1)));
}

function turnId({ stream, n, attempt }: LogLine): string {
  return `${stream}/${n}/${attempt}`;
}
