import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { isAlive, pidsIn, readOrEmpty, tempDir, until } from '../built.fixture.ts';
import { runCommand } from './run.ts';

let dir: string;
let pidFile: string;
beforeEach(async () => {
  dir = await tempDir();
  pidFile = join(dir, 'pids');
});
afterEach(() => rmSync(dir, { recursive: true }));

const sh = (script: string, options: Partial<Parameters<typeof runCommand>[2]> = {}) =>
  runCommand('sh', ['-c', script], { cwd: dir, env: { PATH: process.env['PATH'], PIDS: pidFile }, ...options });

const DEAF = `trap "" TERM; echo $$ >>"$PIDS"; while :; do sleep 1; done`;

test('a command gives its exit code and both outputs, as bytes', async () => {
  const result = await sh('printf "\\377"; echo problem >&2; exit 3');
  expect(result).toMatchObject({ exitCode: 3, signal: null, timedOut: false });
  expect([...result.stdout]).toEqual([255]);
  expect(result.stderr.toString()).toBe('problem\n');
});

test('a death by signal is no exit code', async () => {
  expect(await sh('kill -TERM $$')).toMatchObject({ exitCode: null, signal: 'SIGTERM' });
});

test('input is handed over whole; without it there is none', async () => {
  const input = 'x'.repeat(3_000_000);
  expect((await sh('cat', { input })).stdout.length).toBe(input.length);
  expect((await sh('cat')).stdout.length).toBe(0);
  expect(await sh('exit 0', { input })).toMatchObject({ exitCode: 0 });
});

test('arguments reach the program as they are', async () => {
  const odd = ['a b', '$HOME', '"', "'", '*', '', 'é\n'];
  const result = await runCommand(process.execPath, ['-p', 'JSON.stringify(process.argv.slice(1))', '--', ...odd], {
    cwd: dir,
  });
  expect(JSON.parse(result.stdout.toString())).toEqual(odd);
});

test('a program that cannot be started throws, with the reason', async () => {
  await expect(runCommand('ralph-no-such-program', [], { cwd: dir })).rejects.toMatchObject({
    name: 'SpawnFailed',
    code: 'ENOENT',
  });
  await expect(runCommand(dir, [], { cwd: dir })).rejects.toMatchObject({ name: 'SpawnFailed', code: 'EACCES' });
  await expect(runCommand('sh', ['x'.repeat(5_000_000)], { cwd: dir })).rejects.toMatchObject({
    name: 'SpawnFailed',
    code: 'E2BIG',
  });
  await expect(runCommand('sh', [], { cwd: join(dir, 'gone') })).rejects.toThrow(/the folder .*gone does not exist/);
});

test('of much output the end is kept, and it is said', async () => {
  const result = await sh('i=0; while [ $i -lt 20000 ]; do echo "line $i"; i=$((i+1)); done', { maxBytes: 25 });
  expect(result.stdout.toString()).toBe('97\nline 19998\nline 19999\n');
  expect((await sh('printf 12345', { maxBytes: 5 })).stdout.toString()).toBe('12345');
});

test('output is shown as it comes', async () => {
  let seen = '';
  const onOutput = (chunk: Buffer) => {
    seen += chunk;
  };
  const running = sh('echo first; echo other >&2; while ! [ -e go ]; do sleep 0.01; done; echo last', { onOutput });
  await until('the first lines', () => seen.includes('first\n') && seen.includes('other\n'));
  expect(seen).not.toContain('last');
  writeFileSync(join(dir, 'go'), '');
  await running;
  expect(seen.endsWith('last\n')).toBe(true);
});

test('a timeout ends the tree, what ignores SIGTERM and what has a session of its own', async () => {
  const script = `sh -c '${DEAF}' & setsid sh -c '${DEAF}' & (setsid sh -c '${DEAF}' &); echo out; wait`;
  const timeouts = [300, 3_000, 30_000];
  let pids: readonly number[] = [];
  let printed = '';
  // A slow machine needs longer than a fast one until all three are there.
  for (const timeoutMs of timeouts) {
    rmSync(pidFile, { force: true });
    const result = await sh(script, { timeoutMs, marker: `check-${process.pid}-${timeoutMs}` });
    expect(result).toMatchObject({ timedOut: true, exitCode: null, signal: 'SIGTERM' });
    printed = result.stdout.toString();
    pids = readOrEmpty(pidFile).split('\n').filter(Boolean).map(Number);
    expect(pids.filter(isAlive)).toEqual([]);
    if (pids.length === 3) break;
  }
  expect([pids.length, printed]).toEqual([3, 'out\n']);
});

test('an abort ends the tree, and is no timeout', async () => {
  const abort = new AbortController();
  const running = sh(`sleep 60 & echo $! >>"$PIDS"; echo $$ >>"$PIDS"; wait`, {
    signal: abort.signal,
    timeoutMs: 60_000,
  });
  const pids = await pidsIn(pidFile, 2);
  abort.abort();
  expect(await running).toMatchObject({ timedOut: false, signal: 'SIGTERM' });
  expect(pids.filter(isAlive)).toEqual([]);
  expect(await sh('sleep 60', { signal: abort.signal })).toMatchObject({ signal: 'SIGTERM' });
});

test('a background process does not hold up the result', async () => {
  const result = await sh('sleep 600 & echo $! >>"$PIDS"; echo done');
  expect(result.stdout.toString()).toBe('done\n');
  for (const pid of await pidsIn(pidFile, 1)) process.kill(pid, 'SIGKILL');
});

test.runIf(process.platform === 'linux')('what a marked command left running is ended', async () => {
  const result = await sh(`(setsid sh -c '${DEAF}' &); while ! [ -s "$PIDS" ]; do sleep 0.01; done`, {
    marker: `left-${process.pid}`,
  });
  expect(result.exitCode).toBe(0);
  expect((await pidsIn(pidFile, 1)).filter(isAlive)).toEqual([]);
});
