import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import type { StatusFile } from '../../../contracts/index.ts';
import { loadConfig } from '../config/config.ts';
import { messageOf, tempTree } from '../temp-tree.fixture.ts';
import { readMarker, startMarker } from './marker.ts';
import { acquireRunLock, readStatus, writeStatus } from './run-record.ts';

afterEach(() => {
  vi.useRealTimers();
});

async function start(root: string, run: string) {
  const time = { now: 1_000_000 };
  const clock = { now: () => time.now, sleep: async () => {} };
  const { config } = await loadConfig({ root, env: {}, flags: {}, onUntrusted: 'given' });
  return {
    time,
    clock,
    marker: await startMarker(root, { run, config, isolation: 'none', controlServer: null, clock }),
  };
}

test('the marker tells others what runs, and is gone afterwards', async () => {
  const root = await tempTree();
  const { clock, marker } = await start(root, 'r1');
  const story = { id: 'US-001', passes: false, reviewStatus: null, reviewCount: 2 } as Parameters<
    typeof marker.update
  >[2][number];
  await marker.update(story, 'implement', [story]);
  const found = await readMarker(root, clock);
  expect(found).toMatchObject({
    live: true,
    marker: {
      version: 1,
      run: 'r1',
      pid: process.pid,
      maxIterations: 15,
      reviewCap: 5,
      isolation: 'none',
      story: 'US-001',
      iterationMode: 'implement',
      preIterationSnapshot: { 'US-001': { passes: false, reviewStatus: null, reviewCount: 2 } },
    },
  });
  expect((await stat(join(root, '.ralph-active'))).mode & 0o777).toBe(0o444);
  await marker.remove();
  expect(await readMarker(root, clock)).toBeNull();
});

test('a heartbeat is stale after thirty seconds, and one from the future is no sign of life', async () => {
  const root = await tempTree();
  const { time, clock, marker } = await start(root, 'r1');
  const liveAfter = async (ms: number) => {
    time.now = 1_000_000 + ms;
    return (await readMarker(root, clock))?.live;
  };
  expect([await liveAfter(29_000), await liveAfter(31_000), await liveAfter(-3_600_000)]).toEqual([true, false, false]);
  await marker.remove();
});

test('the heartbeat goes on by itself and puts a deleted marker back', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const root = await tempTree();
  const { time, clock, marker } = await start(root, 'r1');
  await rm(join(root, '.ralph-active'));
  time.now += 5_000;
  await vi.advanceTimersByTimeAsync(5_000);
  await marker.update(null, null, []);
  expect((await readMarker(root, clock))?.marker.heartbeat).toBe(new Date(1_005_000).toISOString());
  await marker.remove();
  expect(vi.getTimerCount()).toBe(0);
});

test('only the owner removes the marker', async () => {
  const root = await tempTree();
  const first = await start(root, 'r1');
  const second = await start(root, 'r2');
  await first.marker.remove();
  expect((await readMarker(root, second.clock))?.marker.run).toBe('r2');
  await second.marker.remove();
});

test.each(['', 'rubbish', '[]', 'null', '{"run":3}'])('a marker that holds %j is none', async (text) => {
  expect(await readMarker(await tempTree({ '.ralph-active': text }))).toBeNull();
});

test('the status is read back; one that cannot be used is none', async () => {
  const root = await tempTree();
  const status: StatusFile = {
    version: 2,
    run: 'r',
    updatedAt: 't',
    state: 'running',
    startedAt: null,
    pid: null,
    phase: 'between',
    iteration: 1,
    used: 0,
    maxIterations: 15,
    mode: null,
    story: null,
    agent: null,
    tool: null,
    contextPercent: null,
    waiting: null,
    breaker: 'closed',
    lastVerdict: null,
    verdicts: {},
    stories: { total: 1, done: 0, blocked: 0 },
    costUsd: 0,
    ended: null,
  };
  expect(await readStatus(root)).toBeNull();
  await writeStatus(root, status);
  expect(await readStatus(root)).toEqual(status);
  for (const text of [
    '',
    '{',
    '[]',
    'null',
    '{"version":3,"run":"r","stories":{"total":1}}',
    '{"version":1,"run":"r"}',
  ]) {
    await writeFile(join(root, '.ralph/status.json'), text);
    expect(await readStatus(root)).toBeNull();
  }
});

test('a second run is refused by the name of the first, until that lets go', async () => {
  const stateDir = join(await tempTree(), '.git/ralph');
  const holder = { pid: 41, host: 'here', startedAt: '2026-11-21T00:00:00.000Z', run: 'r1' };
  const lock = await acquireRunLock(stateDir, holder);
  expect(await messageOf(acquireRunLock(stateDir, { ...holder, run: 'r2' }))).toMatchInlineSnapshot(`
    "Error: run r1 works on this work tree
      where: pid 41 on here, since 2026-11-21T00:00:00.000Z
      why:   two runs in one work tree would undo each other
      fix:   \`ralph status\` shows how far it is
      fix:   wait for it to end, or stop it: \`ralph stop\`, or Ctrl-C in its terminal"
  `);
  await lock.release();
  await (await acquireRunLock(stateDir, { ...holder, run: 'r2' })).release();
});

test('a later status of the same file replaces the earlier one whole', async () => {
  const root = await tempTree({ '.ralph/status.json': 'x'.repeat(10_000) });
  await writeStatus(root, { version: 2, run: 'r' } as StatusFile);
  expect(JSON.parse(await readFile(join(root, '.ralph/status.json'), 'utf8'))).toEqual({ version: 2, run: 'r' });
});
