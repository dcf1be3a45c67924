import { chmod, cp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, type TestContext, test } from 'vitest';
import { needs } from '../support/debian.ts';
import { type FleetOptions, makeFleet } from '../support/fleet.ts';
import { type Postgres, startPostgres } from '../support/postgres.ts';
import { until } from '../support/until.ts';

const missing = await needs('postgres');
const STATE = '+refs/ralph/fleet/PRD-1/state:refs/ralph/fleet/PRD-1/state';
const FAST = ['--poll', '200ms', '--grace', '4s'];

// Each has a fleet of its own, and mostly waits for its workers.
describe.skipIf(missing).concurrent('a fleet', () => {
  let postgres: Postgres;
  let databases = 0;
  beforeAll(async () => {
    postgres = await startPostgres();
  });
  afterAll(async () => postgres?.stop());

  const open = async (
    { onTestFinished }: Pick<TestContext, 'onTestFinished'>,
    options: Partial<FleetOptions>,
    ...limits: readonly string[]
  ) => {
    const url = await postgres.database(`fleet-${++databases}`);
    const fleet = await makeFleet(url, { streams: 1, stories: 2, workMs: 50, ...options });
    onTestFinished(fleet.remove);
    await fleet.submit(...limits);
    const states = async () => (await fleet.standing()).streams.map(({ state }) => state);
    const agents = async () => (await fleet.stamps()).filter(({ kind }) => kind === 'begin').length;
    return { fleet, states, agents };
  };

  test('works on what is submitted, and leaves it on the branches of the remote', {
    tags: ['promise'],
  }, async (context) => {
    const { fleet, states } = await open(context, { streams: 2 });
    expect(await states()).toEqual(['ready', 'ready']);
    const worker = fleet.startWorker('one', {}, '--capacity', '2', '--once', ...FAST);
    expect({ code: await worker.ended, said: worker.output() }).toMatchObject({ code: 0 });
    expect(await states(), worker.output()).toEqual(['done', 'done']);
    for (const stream of [1, 2]) expect(await fleet.iterations(stream)).toEqual([1, 2]);
    expect(await fleet.git('--git-dir', fleet.remote, 'show', 'ralph/prd-2:src/US-002.txt')).toBe('made for US-002');
    expect(await readdir(join(fleet.base, 'work/1/streams'))).toEqual([]);
    expect(JSON.parse((await fleet.ralph('status', '--json')).stdout)).toMatchObject(await fleet.standing());
    expect(worker.output()).toMatch(/PRD-1.*done/);
    expect(await fleet.git('branch', '--show-current')).toBe('main');
  });

  test('tells a turn that was pushed and not reported without a second agent', async (context) => {
    const { fleet, agents } = await open(context, {});
    const first = fleet.startWorker('first', { RALPH_CRASHPOINT: 'fleet-turn-pushed' }, ...FAST);
    await first.ended;
    expect(first.child.signalCode).toBe('SIGKILL');
    const second = fleet.startWorker('second', {}, '--once', ...FAST);
    expect(await second.ended, second.output()).toBe(0);
    expect(second.output()).toContain('turn 1 was already taken');
    expect(await fleet.iterations(1)).toEqual([1, 2]);
    expect(await agents()).toBe(2);
  });

  test('repeats a turn that was taken and not pushed, and keeps what was done', async (context) => {
    const { fleet, agents } = await open(context, {});
    const first = fleet.startWorker('first', { RALPH_CRASHPOINT: 'fleet-turn-taken' }, ...FAST);
    await first.ended;
    const second = fleet.startWorker('second', {}, '--once', ...FAST);
    expect(await second.ended, second.output()).toBe(0);
    expect(await fleet.iterations(1)).toEqual([1, 2]);
    expect(await agents()).toBe(3);
    const kept = await fleet.git('--git-dir', fleet.remote, 'for-each-ref', '--format=%(refname)', 'refs/ralph/fleet');
    expect(kept).toMatch(/refs\/ralph\/fleet\/PRD-1\/lost\//);
  });

  test('refuses the work of a turn during which somebody moved the branch, and builds on theirs', async (context) => {
    const moved = { run: { command: 'test -e "$HOME/moved" || { touch "$HOME/ready"; sleep 1; }', expect: 'any' } };
    const { fleet } = await open(context, { stories: 1, actions: [moved] });
    const worker = fleet.startWorker('one', {}, '--once', ...FAST);
    await until(async () => (await readFile(join(fleet.base, 'ready'))) !== null);
    await fleet.git('switch', '-q', 'ralph/prd-1');
    await fleet.git('commit', '-q', '--allow-empty', '-m', 'a word of a person');
    await fleet.git('push', '-q', 'origin', 'ralph/prd-1');
    await readFile(join(fleet.base, 'ready')).then(() => fleet.git('switch', '-q', 'main'));
    await fleet.touch('moved');
    expect(await worker.ended, worker.output()).toBe(0);
    expect(worker.output()).toContain('does not count');
    const log = await fleet.git('--git-dir', fleet.remote, 'log', '--format=%s', 'ralph/prd-1');
    expect(log).toContain('a word of a person');
    expect(await fleet.iterations(1)).toEqual([1]);
  });

  test('lets no agent see what opens its database', async (context) => {
    const peek = {
      run: {
        command:
          'env > "$HOME/seen"; tr "\\0" " " < /proc/$(ps -o ppid= -p $PPID | tr -d " ")/cmdline >> "$HOME/seen" || true',
        expect: 'any',
      },
    };
    const { fleet } = await open(context, { stories: 1, actions: [peek] });
    const secret = { PGPASSWORD: 'streng-geheim-4711', RALPH_REMOTE: 'x' };
    const worker = fleet.startWorker('one', secret, '--once', ...FAST);
    expect(await worker.ended, worker.output()).toBe(0);
    const seen = await readFile(join(fleet.base, 'seen'), 'utf8');
    expect(seen).toContain('RALPH_RUN_ID=');
    expect(seen).not.toMatch(/streng-geheim|RALPH_ENGINE|postgres:\/\//);
    expect(worker.output()).not.toContain('streng-geheim');
  });

  test('finishes its turn when it is told to end, and leaves the rest to others', async (context) => {
    const { fleet, states, agents } = await open(context, { workMs: 1500 });
    const worker = fleet.startWorker('one', {}, ...FAST);
    await until(async () => (await agents()) === 1);
    worker.child.kill('SIGTERM');
    expect(await worker.ended, worker.output()).toBe(0);
    expect(await fleet.iterations(1)).toEqual([1]);
    expect(await states()).toEqual(['ready']);
  });

  test('ends its turn at the second signal, and keeps the work on the remote', { tags: ['long'] }, async (context) => {
    const { fleet, states } = await open(context, {
      workMs: 50,
      actions: [{ write: { path: 'half.txt', content: 'half\n' } }, { run: 'touch "$HOME/half"' }, { hang: true }],
    });
    const worker = fleet.startWorker('one', {}, ...FAST);
    await until(async () => (await readFile(join(fleet.base, 'half'))) !== null);
    worker.child.kill('SIGTERM');
    await until(async () => worker.output().includes('draining'));
    worker.child.kill('SIGTERM');
    expect(await worker.ended, worker.output()).toBe(143);
    expect(await fleet.git('--git-dir', fleet.remote, 'show', 'refs/ralph/fleet/PRD-1/wip:half.txt')).toBe('half');
    expect(await states()).toEqual(['ready']);
  });

  test('is cancelled and goes on by a word, and ends for every worker that drains', async (context) => {
    const { fleet, states } = await open(context, {});
    expect((await fleet.ralph('cancel', '1')).stdout).toContain('PRD-1 is cancelled');
    expect(await fleet.ralph('cancel', '1')).toMatchObject({ code: 1 });
    expect((await fleet.ralph('retry', 'PRD-1')).stdout).toContain('PRD-1 continues');
    // With the usual grace: a busy machine must not take it for gone.
    const worker = fleet.startWorker('one', {}, '--poll', '200ms');
    await until(async () => (await states())[0] === 'done');
    expect((await fleet.ralph('drain')).stdout).toMatch(/1 worker/);
    expect(await worker.ended, worker.output()).toBe(0);
    expect(await fleet.ralph('submit', '1', '--branch', 'main')).toMatchObject({ code: 2 });
  });

  test('starts no more agents within an hour than it is allowed, until that is raised', {
    tags: ['long'],
  }, async (context) => {
    const { fleet, states, agents } = await open(context, {}, '--calls', '1');
    const worker = fleet.startWorker('one', {}, '--once', ...FAST);
    await until(async () => (await fleet.standing()).streams[0]?.text === 'the fleet starts 1 agent within an hour');
    expect(await agents()).toBe(1);
    await fleet.submit('--calls', '5');
    expect(await worker.ended, worker.output()).toBe(0);
    expect(await states()).toEqual(['done']);
    expect(await agents()).toBe(2);
  });

  test('spends no more than it was given, whichever stream spends it', async (context) => {
    const spend = { usage: { input: 1000, output: 100, cost: 0.6 } };
    const { fleet, agents } = await open(context, { streams: 2, actions: [spend] }, '--max-cost', '1');
    const worker = fleet.startWorker('one', {}, '--once', ...FAST);
    expect(await worker.ended, worker.output()).toBe(0);
    const { streams } = await fleet.standing();
    expect(streams.map(({ state, ended }) => [state, ended?.reason])).toEqual(Array(2).fill(['ended', 'budget']));
    expect(await agents()).toBe(2);
  });

  test("holds everybody back at a provider's limit, until a retry", { tags: ['long'] }, async (context) => {
    const limit = { limit: { kind: 'five_hour', in: '1h' } };
    const { fleet, agents } = await open(context, { streams: 2, actions: [limit] });
    const worker = fleet.startWorker('one', {}, ...FAST);
    const texts = async () => (await fleet.standing()).streams.map(({ text }) => text);
    await until(async () => (await texts())[1]?.startsWith('PRD-1: ') ?? false);
    const [first, second] = (await fleet.standing()).streams;
    expect(first).toMatchObject({ state: 'later', until: expect.closeTo(Date.now() + 3_600_000, -5) });
    expect(second).toMatchObject({ state: 'ready', turns: 0 });
    expect(await agents()).toBe(1);
    expect((await fleet.ralph('retry', '1')).stdout).toContain('PRD-1 continues');
    await until(async () => (await agents()) > 1);
    worker.child.kill('SIGTERM');
    expect(await worker.ended, worker.output()).toBe(0);
  });

  test('is not failed by a worker at whose place something is wrong', async (context) => {
    const { fleet, states } = await open(context, { streams: 2, stories: 1 });
    const missing = await fleet.startWorker('typed-wrong', {}, '--scenario', '/nowhere.yaml', ...FAST).ended;
    expect(missing).toBe(2);
    // Found at its start, and gone when it is needed.
    const gone = join(fleet.base, 'gone.yaml');
    await cp(join(fleet.base, 'scenario.yaml'), gone);
    const bad = fleet.startWorker('bad', {}, '--scenario', gone, ...FAST);
    await until(async () => bad.output().includes('takes turns'));
    await rm(gone);
    const good = fleet.startWorker('good', {}, '--once', ...FAST);
    expect(await good.ended, good.output()).toBe(0);
    expect(await states(), bad.output()).toEqual(['done', 'done']);
    bad.child.kill('SIGTERM');
    expect(await bad.ended, bad.output()).toBe(0);
  });

  test('fails after three attempts, and goes on when it is retried', { tags: ['long'] }, async (context) => {
    const { fleet, states } = await open(context, { stories: 1 });
    const hook = join(fleet.remote, 'hooks', 'pre-receive');
    await writeFile(hook, '#!/bin/sh\n! grep -q refs/ralph/fleet/PRD-1/state\n');
    await chmod(hook, 0o755);
    const worker = fleet.startWorker('one', {}, '--once', ...FAST);
    expect(await worker.ended, worker.output()).toBe(0);
    const [stream] = (await fleet.standing()).streams;
    expect(stream).toMatchObject({ state: 'failed', attempts: 3, turns: 0 });
    expect(stream?.text).toContain('git could not push a turn');
    await rm(hook);
    await fleet.ralph('retry', '1');
    const again = fleet.startWorker('two', {}, '--once', ...FAST);
    expect(await again.ended, again.output()).toBe(0);
    expect(await states()).toEqual(['done']);
    expect(await fleet.iterations(1)).toEqual([1]);
  });

  test('works on a spec folder that git ignores: it is in no commit, goes from worker to worker, and home', async (context) => {
    const { fleet, states } = await open(context, { ignored: true });
    const place = (name: string) => ['--work-dir', join(fleet.base, name), ...FAST];
    const first = fleet.startWorker('first', { RALPH_CRASHPOINT: 'fleet-turn-pushed' }, ...place('one'));
    await first.ended;
    const second = fleet.startWorker('second', {}, '--once', ...place('two'));
    expect(await second.ended, second.output()).toBe(0);
    expect(await states(), second.output()).toEqual(['done']);
    expect(await fleet.iterations(1)).toEqual([1, 2]);
    const files = await fleet.git('--git-dir', fleet.remote, 'log', '--format=', '--name-only', 'ralph/prd-1');
    expect(files).not.toMatch(/^\.ralph\//m);

    const backlog = join(fleet.project, '.ralph/PRD-1/tasks.json');
    const passes = async () =>
      JSON.parse(await readFile(backlog, 'utf8')).userStories.map((story: { passes: boolean }) => story.passes);
    // Submitted again as it was, it is not begun again.
    await fleet.submit();
    const third = fleet.startWorker('third', {}, '--once', ...place('two'));
    expect(await third.ended, third.output()).toBe(0);
    expect(await fleet.iterations(1)).toEqual([1, 2]);

    await fleet.git('fetch', '-q', 'origin', 'ralph/prd-1:ralph/prd-1', STATE);
    const merged = await fleet.cli('stream', 'merge', '1');
    expect(merged.code, merged.stdout + merged.stderr).toBe(0);
    expect(await passes()).toEqual([true, true]);
    expect(await fleet.git('status', '--porcelain')).toBe('');
    expect(await fleet.git('log', '--format=%s', 'main', '-2')).toBe('feat(US-002): story 2\nfeat(US-001): story 1');

    // What a person changes then is worked on; an older copy is not.
    const added = ['stories', 'add', 'One more', '--id', 'US-003', '-c', 'it works', '--prd', '1'];
    expect(await fleet.cli(...added)).toMatchObject({ code: 0 });
    await fleet.submit();
    const fourth = fleet.startWorker('fourth', {}, '--once', ...place('two'));
    expect(await fourth.ended, fourth.output()).toBe(0);
    expect(await fleet.iterations(1)).toEqual([1, 2, 1]);
    expect(await fleet.cli('stories', 'edit', 'US-003', '--title', 'Another', '--prd', '1')).toMatchObject({ code: 0 });
    await fleet.submit();
    const fifth = fleet.startWorker('fifth', {}, '--once', ...place('two'));
    await until(async () => (await states())[0] === 'later');
    expect((await fleet.standing()).streams[0]?.text).toContain('lacks what the fleet did since');
    fifth.child.kill('SIGTERM');
    await fifth.ended;
  });
});
