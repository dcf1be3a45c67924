import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { tempDir } from './built.fixture.ts';
import { tryLock } from './lock.ts';

vi.mock('fs-native-extensions', () => {
  throw new Error('no prebuilt part for this system');
});

test.runIf(process.platform === 'linux')(
  'where the file lock has no native part (musl) the socket name excludes and names the holder',
  async () => {
    const dir = await tempDir();
    const path = join(dir, 'ralph', 'lock');
    const holder = { pid: process.pid, host: 'here', startedAt: '2026-01-02T03:04:05.000Z', run: 'one' };
    const first = await tryLock(path, holder);
    expect(await tryLock(path, { ...holder, run: 'two' })).toEqual({ heldBy: holder });
    if ('heldBy' in first) throw new Error('the lock was free');
    await first.release();
    const second = await tryLock(path, holder);
    expect(second).not.toHaveProperty('heldBy');
    if (!('heldBy' in second)) await second.release();
    await rm(dir, { recursive: true });
  },
);
