import { mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { isStale } from './freshness.ts';

const FILES = ['src/a.ts', 'src/room/b.ts', 'dashboard/main.tsx', 'scripts/build/bundle.ts', 'package-lock.json'];
const FOLDERS = ['src', 'src/room', 'dashboard', 'scripts/build'];

let base = '';
beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'ralph-freshness-'));
  for (const file of [...FILES, 'dist/main.cjs']) {
    await mkdir(dirname(join(base, file)), { recursive: true });
    await writeFile(join(base, file), '');
  }
  for (const path of [...FILES, ...FOLDERS]) await touch(path, 1000);
  await touch('dist/main.cjs', 2000);
});
afterEach(() => rm(base, { recursive: true, force: true }));

const touch = (path: string, seconds: number) => utimes(join(base, path), seconds, seconds);

test('a bundle that is newer than every source is fresh', async () => {
  expect(await isStale(base)).toBe(false);
});

test.each(FILES)('a newer %s makes it stale', async (file) => {
  await touch(file, 3000);
  expect(await isStale(base)).toBe(true);
});

test('a removed source makes it stale', async () => {
  await rm(join(base, 'src/room/b.ts'));
  expect(await isStale(base)).toBe(true);
});

test('without a bundle it is stale', async () => {
  await rm(join(base, 'dist'), { recursive: true });
  expect(await isStale(base)).toBe(true);
});
