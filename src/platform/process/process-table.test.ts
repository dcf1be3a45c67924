import { type ChildProcess, spawn } from 'node:child_process';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { exitOf, firstLine } from '../built.fixture.ts';
import { readProcessTable, readPs } from './process-table.ts';

let child: ChildProcess;
beforeEach(() => {
  child = spawn('sleep', ['60'], {
    detached: true,
    stdio: 'ignore',
    env: { ...process.env, NOT_RALPH_RUN_ID: 'wrong', RALPH_RUN_ID: 'a=b c' },
  });
});
afterEach(() => child.kill('SIGKILL'));

const find = async (read: typeof readPs, pid: number | undefined) => (await read()).find((p) => p.pid === pid);

test.each([
  ['the system', readProcessTable],
  ['ps', readPs],
])('%s knows parent, session and start of a process', async (_name, read) => {
  const found = await find(read, child.pid);
  expect(found).toMatchObject({ parent: process.pid, session: child.pid });
  expect(found?.start).not.toBe('');
  expect((await find(read, child.pid))?.start).toBe(found?.start);
});

test.runIf(process.platform === 'linux')('the marker of a process is read from its environment', async () => {
  expect(await find(readProcessTable, child.pid)).toMatchObject({ marker: 'a=b c' });
  expect(await find(readProcessTable, process.pid)).toMatchObject({ marker: null });
});

test.runIf(process.platform === 'linux')(
  'a program whose name looks like the rest of the line is read right',
  async () => {
    const script = `process.title = 'a) Z 1 (b'; console.log('ready'); setInterval(() => {}, 1000)`;
    const odd = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
    try {
      expect(await firstLine(odd)).toBe('ready');
      expect(await find(readProcessTable, odd.pid)).toMatchObject({ parent: process.pid });
    } finally {
      odd.kill('SIGKILL');
    }
  },
);

test('who has ended is not in the table', async () => {
  const exited = exitOf(child);
  child.kill('SIGKILL');
  await exited;
  expect(await find(readProcessTable, child.pid)).toBeUndefined();
});
