import { execFileSync } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { buildProgram, exitOf, firstLine, isAlive, type Program, tempDir } from './built.fixture.ts';
import { type Lock, type LockHolder, lockHolder, tryLock } from './lock.ts';

let program: Program;
let gitDir: string;
let path: string;
const children: ReturnType<Program['start']>[] = [];

beforeAll(async () => {
  program = await buildProgram(new URL('lock.fixture.ts', import.meta.url));
});
afterAll(() => program.dispose());
beforeEach(async () => {
  gitDir = await tempDir();
  path = join(gitDir, 'ralph', 'lock');
});
afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  await rm(gitDir, { recursive: true });
});

const holder = (run: string): LockHolder => ({
  pid: process.pid,
  host: hostname(),
  startedAt: '2026-01-02T03:04:05.000Z',
  run,
});

async function taken(run = 'ours'): Promise<Lock> {
  const result = await tryLock(path, holder(run));
  if ('heldBy' in result) throw new Error(`held by ${JSON.stringify(result.heldBy)}`);
  return result;
}

/** A process that waits for the word to take the lock. */
async function contender(run: string, ...more: string[]) {
  const child = program.start([path, run, ...more]);
  children.push(child);
  await firstLine(child);
  return {
    child,
    async go(): Promise<{ won?: string; child?: number; heldBy?: LockHolder }> {
      child.stdin.write('go\n');
      return JSON.parse(await firstLine(child));
    },
  };
}

test('to ask who holds a lock makes nothing, and a name that was left behind is nobody', async () => {
  expect(await lockHolder(path)).toBeNull();
  expect(existsSync(join(gitDir, 'ralph'))).toBe(false);
  const lock = await taken('ours');
  expect(await lockHolder(path)).toMatchObject({ run: 'ours' });
  await lock.release();
  expect(await lockHolder(path)).toBeNull();
  writeFileSync(path, JSON.stringify(holder('left')));
  expect(await lockHolder(path)).toBeNull();
  expect(readFileSync(path, 'utf8')).toContain('left');
});

test('of fifty starts at once exactly one gets the lock, and each of the others names it', async () => {
  const contenders = await Promise.all(Array.from({ length: 50 }, (_, n) => contender(`run-${n}`)));
  const results = await Promise.all(contenders.map((c) => c.go()));
  const winners = results.flatMap((result, n) =>
    result.won ? [{ run: result.won, pid: contenders[n]?.child.pid }] : [],
  );
  expect(winners).toHaveLength(1);
  const losers = results.filter((result) => !result.won);
  expect(losers).toHaveLength(49);
  for (const loser of losers) expect(loser.heldBy).toMatchObject({ ...winners[0], host: hostname() });
});

test('a killed holder frees the lock at once, even while its child lives on', async () => {
  const first = await contender('first', 'with-child');
  const { child } = await first.go();
  const exited = exitOf(first.child);
  first.child.kill('SIGKILL');
  await exited;
  try {
    expect(isAlive(child ?? 0)).toBe(true);
    await (await taken()).release();
  } finally {
    process.kill(child ?? 0, 'SIGKILL');
  }
});

test('a paused holder keeps the lock and is named', async () => {
  const first = await contender('first');
  await first.go();
  first.child.kill('SIGSTOP');
  expect(await tryLock(path, holder('second'))).toMatchObject({ heldBy: { run: 'first', pid: first.child.pid } });
});

test('a holder that ends in order frees the lock and leaves no name behind', async () => {
  const lock = await taken();
  await lock.release();
  expect(readFileSync(path, 'utf8')).toBe('');
  await (await taken()).release();
});

test('the name of a holder can be changed', async () => {
  const lock = await taken('first');
  await lock.update(holder('a-much-longer-name'));
  await lock.update(holder('next'));
  expect(await tryLock(path, holder('other'))).toEqual({ heldBy: holder('next') });
  await lock.release();
});

test.runIf(process.platform === 'linux')('the lock holds when its folder is deleted and made again', async () => {
  const lock = await taken();
  await rm(join(gitDir, 'ralph'), { recursive: true });
  expect(await tryLock(path, holder('second'))).toHaveProperty('heldBy');
  await lock.release();
  await (await taken('second')).release();
});

test('two folders do not exclude each other', async () => {
  const lock = await taken();
  const other = await tempDir();
  const second = await tryLock(join(other, 'ralph', 'lock'), holder('other'));
  expect(second).not.toHaveProperty('heldBy');
  if (!('heldBy' in second)) await second.release();
  await lock.release();
  await rm(other, { recursive: true });
});

test('the file alone keeps out one that cannot see the socket name (another container)', async () => {
  const { tryLock: lockFd } = await import('fs-native-extensions');
  mkdirSync(join(gitDir, 'ralph'));
  writeFileSync(path, `${JSON.stringify(holder('elsewhere'))}\n`);
  const fd = openSync(path, 'r+');
  expect(lockFd(fd)).toBe(true);
  expect(await tryLock(path, holder('ours'))).toEqual({ heldBy: holder('elsewhere') });
  closeSync(fd);
  await (await taken()).release();
});

test.each(['{"pid": 12', '{"pid":"12"}'])('an unreadable name %j is no reason to fail', async (text) => {
  const lock = await taken();
  writeFileSync(path, text);
  expect(await tryLock(path, holder('second'))).toEqual({ heldBy: null });
  await lock.release();
});

test('a FIFO in its place is told as what it is', async () => {
  mkdirSync(join(gitDir, 'ralph'));
  execFileSync('mkfifo', [path]);
  await expect(tryLock(path, holder('ours'))).rejects.toMatchObject({ code: 'ENOTFILE', path });
  expect(await lockHolder(path)).toBeNull();
  await rm(path);
  await (await taken()).release();
});

test('a dead holder is not taken for the one who has just won', async () => {
  const dead = await contender('dead');
  await dead.go();
  const exited = exitOf(dead.child);
  dead.child.kill('SIGKILL');
  await exited;
  const stale = readFileSync(path, 'utf8');
  const lock = await taken('alive');
  const live = readFileSync(path, 'utf8');
  writeFileSync(path, stale);
  const asking = tryLock(path, holder('late'));
  setTimeout(() => writeFileSync(path, live), 100);
  expect(await asking).toMatchObject({ heldBy: { run: 'alive' } });
  await lock.release();
});

test('a lock that is let go while its holder is looked for is taken at once', async () => {
  const lock = await taken('first');
  // As it is for a moment in every release.
  writeFileSync(path, '');
  const asking = tryLock(path, holder('second'));
  setTimeout(() => void lock.release(), 100);
  const second = await asking;
  expect(second).not.toHaveProperty('heldBy');
  if (!('heldBy' in second)) await second.release();
});
