import { chmod, mkdtemp, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { copyWithTime } from './copy-with-time.ts';

async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'ralph-copy-'));
  onTestFinished(() => rm(path, { recursive: true }));
  return path;
}

test('a copy has bytes, permission bits and time; the time is never later, and earlier by microseconds only', async () => {
  const dir = await folder();
  const [from, to] = [join(dir, 'from'), join(dir, 'to')];
  for (const second of [1, 1_700_000_000.123_456, 1_795_391_573.999_999]) {
    await writeFile(from, Buffer.from([0, 1, 255]));
    await chmod(from, 0o640);
    await utimes(from, second, second);
    expect(await copyWithTime(from, to)).toBe(true);
    const [source, copy] = await Promise.all([from, to].map((path) => stat(path, { bigint: true })));
    expect(await readFile(to)).toEqual(Buffer.from([0, 1, 255]));
    expect(copy?.mode).toBe(source?.mode);
    const earlier = Number((source?.mtimeNs ?? 0n) - (copy?.mtimeNs ?? 0n));
    expect(earlier).toBeGreaterThanOrEqual(0);
    expect(earlier).toBeLessThan(10_000);
  }
});

test('nothing is copied where no file is', async () => {
  const dir = await folder();
  expect(await copyWithTime(join(dir, 'none'), join(dir, 'to'))).toBe(false);
  expect(await copyWithTime(dir, join(dir, 'to'))).toBe(false);
});
