import { spawn } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { exitOf, isAlive, pidsIn, tempDir } from '../built.fixture.ts';
import { killFamily, readProcessTable, whileStopped } from './processes.ts';

let dir: string;
let pidFile: string;
let started: number[];
beforeEach(async () => {
  dir = await tempDir();
  pidFile = join(dir, 'pids');
  started = [];
});
afterEach(() => {
  for (const pid of started.filter(isAlive)) process.kill(pid, 'SIGKILL');
  rmSync(dir, { recursive: true });
});

/** Starts a shell and waits for the pids its script writes into $PIDS; the shell's own comes first in the answer. */
async function start(script: string, count: number, marker?: string): Promise<number[]> {
  const env = { ...process.env, PIDS: pidFile, ...(marker === undefined ? {} : { RALPH_RUN_ID: marker }) };
  const child = spawn('sh', ['-c', script], { detached: true, stdio: 'ignore', env });
  started.push(child.pid ?? 0, ...(await pidsIn(pidFile, count)));
  return started;
}

const DEAF = `trap "" TERM; echo $$ >>"$PIDS"; while :; do sleep 1; done`;
const WILLING = `echo $$ >>"$PIDS"; exec sleep 60`;

test('a tree is ended with members that ignore SIGTERM or have a session of their own', async () => {
  const pids = await start(`sh -c '${DEAF}' & setsid sh -c '${DEAF}' & setsid sh -c '${WILLING}' & wait`, 3);
  await killFamily({ root: pids[0] ?? 0 }, 200);
  expect(pids.filter(isAlive)).toEqual([]);
});

test('who complies with SIGTERM is waited for, not killed, and may clean up', async () => {
  const report = join(dir, 'report');
  const pids = await start(
    `trap 'sleep 0.2; echo tidy >"${report}"; exit 0' TERM; echo $$ >>"$PIDS"; while :; do sleep 0.05; done`,
    1,
  );
  await killFamily({ root: pids[0] ?? 0 }, 3_600_000);
  expect(readFileSync(report, 'utf8')).toBe('tidy\n');
});

test('a grace of nothing kills at once', async () => {
  const patient = await start(`exec sh -c '${DEAF}'`, 1);
  const ended: string[] = [];
  const later = killFamily({ root: patient[0] ?? 0 }, 60_000).then(() => ended.push('with a grace'));
  rmSync(pidFile);
  const pids = await start(`sh -c '${DEAF}' & wait`, 1);
  await killFamily({ root: pids.at(-2) ?? 0 }, 0);
  expect(ended).toEqual([]);
  process.kill(patient[0] ?? 0, 'SIGKILL');
  await later;
  expect(pids.filter(isAlive)).toEqual([]);
});

test('a stopped process is ended too', async () => {
  const pids = await start(`sh -c '${WILLING}' & kill -STOP $$; wait`, 1);
  await killFamily({ root: pids[0] ?? 0 }, 100);
  expect(pids.filter(isAlive)).toEqual([]);
});

test('a tree that keeps growing is ended', async () => {
  const pids = await start(`echo $$ >>"$PIDS"; trap "" TERM; while :; do setsid sleep 60 & sleep 0.01; done`, 1);
  await killFamily({ root: pids[0] ?? 0 }, 100);
  expect(pids.filter(isAlive)).toEqual([]);
});

test('nothing happens for a process that is not there', async () => {
  const gone = spawn('true', { stdio: 'ignore' });
  await exitOf(gone);
  await killFamily({ root: gone.pid ?? 0 }, 5000);
});

test.runIf(process.platform === 'linux')('marked processes are found wherever they went, and no others', async () => {
  const marker = `marked-${process.pid}`;
  // Both lose their parent; the second its session as well.
  const orphans = `(sh -c '${DEAF}' &); (setsid sh -c '${WILLING}' &); sleep 0.1`;
  const pids = await start(orphans, 2, marker);
  const bystander = spawn('sleep', ['60'], { stdio: 'ignore', env: { ...process.env, RALPH_RUN_ID: `${marker}0` } });
  started.push(bystander.pid ?? 0);
  expect(await killFamily({ marker: marker }, 200)).toBeGreaterThanOrEqual(2);
  expect(pids.filter(isAlive)).toEqual([bystander.pid]);
  expect(await killFamily({ marker: marker }, 200)).toBe(0);
});

const ENDS_ITS_THREAD = `perl -Mthreads -e '
  threads->create(sub { sleep 60 }); open(F, ">>", $ENV{PIDS}); print F "$$\\n"; close F; syscall(${process.arch === 'x64' ? 60 : 93}, 0)' & wait`;

test.runIf(process.platform === 'linux')(
  'one whose first thread has ended, as a zombie has, is ended too',
  async () => {
    const [, pid = 0] = await start(ENDS_ITS_THREAD, 1, 'zombie-first');
    await expect.poll(() => readFileSync(`/proc/${pid}/stat`, 'utf8')).toContain(') Z ');
    expect((await readProcessTable()).map((entry) => entry.pid)).toContain(pid);
    await killFamily({ marker: 'zombie-first' }, 0);
    expect((await readProcessTable()).map((entry) => entry.pid)).not.toContain(pid);
  },
);

test.runIf(process.platform === 'linux')(
  'a family is stopped while something is done, and then continues',
  async () => {
    const BUSY = `while :; do echo x >>"$PIDS.ticks"; (exec true); done`;
    await start(`echo $$ >>"$PIDS"; setsid sh -c '${BUSY}' & sh -c '${BUSY}' & ${BUSY}`, 1, 'still');
    const ticks = () => readFileSync(`${pidFile}.ticks`).length;
    await expect.poll(() => ticks()).toBeGreaterThan(0);
    for (let time = 0; time < 3; time += 1) {
      const [before, after] = await whileStopped({ marker: 'still' }, async () => {
        const first = ticks();
        await wait(50);
        return [first, ticks()];
      });
      expect(after).toBe(before);
      await expect.poll(() => ticks()).toBeGreaterThan(before ?? 0);
    }
    await killFamily({ marker: 'still' }, 0);
  },
);
