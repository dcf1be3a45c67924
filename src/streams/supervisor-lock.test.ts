import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { lockSupervised, supervisorOf } from './supervisor-lock.ts';

test('a stream has one supervisor, whom others can name until it lets go', async () => {
  const stateDir = await mkdtemp(join(tmpdir(), 'ralph-supervised-'));
  onTestFinished(() => rm(stateDir, { recursive: true }));
  expect(await supervisorOf(stateDir)).toBeNull();
  const lock = await lockSupervised('PRD-1', stateDir);
  expect(await supervisorOf(stateDir)).toMatchObject({ pid: process.pid });
  await expect(lockSupervised('PRD-1', stateDir)).rejects.toMatchObject({ exitCode: 4 });
  await lock.release();
  expect(await supervisorOf(stateDir)).toBeNull();
  await (await lockSupervised('PRD-1', stateDir)).release();
});
