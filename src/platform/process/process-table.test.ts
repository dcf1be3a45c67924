import { type ChildProcess, spawn } from 'node:child_process';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { exitOf, firstLine } from '../built.fixture.ts';
import { membersOf, readProcessTable } from './processes.ts';

type ProcessEntry = Awaited<ReturnType<typeof readProcessTable>>[number];

let child: ChildProcess;
beforeEach(() => {
  child = spawn('sleep', ['60'], {
    detached: true,
    stdio: 'ignore',
    env: { ...process.env, NOT_RALPH_RUN_ID: 'wrong', RALPH_RUN_ID: 'a=b c' },
  });
});
afterEach(() => child.kill('SIGKILL'));

const find = async (read: typeof readProcessTable, pid: number | undefined) =>
  (await read()).find((p) => p.pid === pid);

/** As on a system without /proc. */
async function readPs(): Promise<readonly ProcessEntry[]> {
  const platform = vi.spyOn(process, 'platform', 'get').mockReturnValue('darwin');
  try {
    return await readProcessTable();
  } finally {
    platform.mockRestore();
  }
}

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

const entry = (
  pid: number,
  parent: number,
  session = pid,
  marker: string | null = null,
  lineage: string | null = null,
): ProcessEntry => ({ pid, parent, session, start: '1', marker, lineage });

function pids(family: Parameters<typeof membersOf>[0], table: readonly ProcessEntry[], self = 99): number[] {
  return membersOf(family, table, self)
    .map((p) => p.pid)
    .sort((a, b) => a - b);
}

test('a tree is its root and all below, in whatever order the table has them', () => {
  const table = [entry(12, 11), entry(11, 10), entry(10, 99), entry(20, 1)];
  expect(pids({ root: 10 }, table)).toEqual([10, 11, 12]);
});

test('who stayed in the session belongs to it after its parent is gone', () => {
  expect(pids({ root: 10 }, [entry(12, 1, 10), entry(13, 12, 13)])).toEqual([12, 13]);
});

test('a run takes the markers below it and descendants without one along, and no other that begins like it', () => {
  const runs = [entry(10, 1, 10, 'run-1/check'), entry(11, 1, 11, 'run-10'), entry(12, 1, 12, 'run-1')];
  const table = [...runs, entry(13, 12), entry(14, 1, 14, 'run')];
  expect(pids({ run: 'run-1' }, table)).toEqual([10, 12, 13]);
  expect(pids({ marker: 'run-1' }, table)).toEqual([12, 13]);
  expect(pids({ marker: 'run-1/check' }, table)).toEqual([10]);
});

test('the lineage finds who has nothing else left, and brings descendants along', () => {
  const table = [entry(10, 1, 10, null, '77'), entry(11, 10), entry(20, 1, 20, null, '770'), entry(30, 1)];
  expect(pids({ lineage: '77' }, table)).toEqual([10, 11]);
  expect(pids({ lineage: null }, table)).toEqual([]);
});

test('we are never a member, nor what we started beside the family', () => {
  const table = [entry(10, 1, 10, 'm'), entry(99, 10, 10, 'm'), entry(100, 99), entry(101, 99, 101, 'm')];
  expect(pids({ marker: 'm', root: 10 }, table)).toEqual([10, 101]);
});

test('a table that changed while it was read may hold a circle', () => {
  expect(pids({ root: 10 }, [entry(10, 11), entry(11, 10)])).toEqual([10, 11]);
});

test('without root and marker nobody is a member', () => {
  expect(pids({}, [entry(10, 1), entry(1, 0)])).toEqual([]);
});

test.runIf(process.platform === 'linux')(
  'of what is older than asked for, only the place in the tree is read',
  async () => {
    const { start } = (await find(readProcessTable, child.pid)) ?? { start: '' };
    const at = async (since: number) => (await readProcessTable(since)).find(({ pid }) => pid === child.pid);
    expect(await at(Number(start))).toMatchObject({ marker: 'a=b c', parent: process.pid });
    expect(await at(Number(start) + 1)).toMatchObject({ marker: null, parent: process.pid });
  },
);
