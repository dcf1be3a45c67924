import { type ChildProcess, spawn } from 'node:child_process';
import { afterEach, expect, test } from 'vitest';
import { leftovers } from './leftovers.ts';

let child: ChildProcess | null = null;
afterEach(() => void child?.kill('SIGKILL'));

test.runIf(process.platform === 'linux')('a process that carries the run is found until it is gone', async () => {
  const run = `selftest-${process.pid}`;
  expect(await leftovers(run, 0)).toEqual([]);
  child = spawn('sleep', ['60'], { detached: true, stdio: 'ignore', env: { ...process.env, RALPH_RUN_ID: run } });
  await expect.poll(() => leftovers(run, 0)).toEqual([`process ${child.pid} of the run is still there`]);
  child.kill('SIGKILL');
  expect(await leftovers(run, 10_000)).toEqual([]);
});
