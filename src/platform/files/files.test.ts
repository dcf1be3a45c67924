import { execFileSync } from 'node:child_process';
import { mkdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import * as fs from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { tempDir } from '../built.fixture.ts';
import {
  copy,
  copyWithTime,
  exists,
  freeBytes,
  ignoresCase,
  list,
  makeDir,
  makeTempDir,
  notWritable,
  readBytes,
  readText,
  remove,
  stat,
} from './files.ts';

let dir: string;
beforeEach(async () => {
  dir = await tempDir();
});
afterEach(() => rmSync(dir, { recursive: true }));

test('what is missing reads as null, also below a file', async () => {
  writeFileSync(join(dir, 'file'), 'x');
  for (const path of [join(dir, 'none'), join(dir, 'file', 'below')]) {
    expect(await readText(path)).toBeNull();
    expect(await readBytes(path)).toBeNull();
    expect(await stat(path)).toBeNull();
    expect(await exists(path)).toBe(false);
    expect(await list(path)).toEqual([]);
  }
});

test('what is there but no plain file has no bytes, and reading it ends', async () => {
  const fifo = join(dir, 'fifo');
  execFileSync('mkfifo', [fifo]);
  expect(await readText(dir)).toBeNull();
  expect(await readBytes(fifo)).toBeNull();
});

test('text keeps its byte order mark', async () => {
  writeFileSync(join(dir, 'bom'), '\ufeffé');
  expect(await readText(join(dir, 'bom'))).toBe('\ufeffé');
});

test('a link is described itself, even when it leads nowhere', async () => {
  symlinkSync('nowhere', join(dir, 'link'));
  expect(await stat(join(dir, 'link'))).toMatchObject({ kind: 'symlink' });
  expect(await exists(join(dir, 'link'))).toBe(true);
});

test('a file is described by kind, size and permission bits', async () => {
  const path = join(dir, 'file');
  writeFileSync(path, '12345');
  await fs.chmod(path, 0o750);
  expect(await stat(path)).toMatchObject({ kind: 'file', size: 5, mode: 0o750 });
  expect(await stat(dir)).toMatchObject({ kind: 'dir' });
});

test('names are sorted by code unit', async () => {
  for (const name of ['b', 'B', 'a', 'ä']) writeFileSync(join(dir, name), '');
  expect(await list(dir)).toEqual(['B', 'a', 'b', 'ä']);
});

test('a folder is copied whole, its links as links', async () => {
  mkdirSync(join(dir, 'from', 'sub'), { recursive: true });
  writeFileSync(join(dir, 'from', 'sub', 'file'), 'x');
  symlinkSync('sub/file', join(dir, 'from', 'link'));
  await copy(join(dir, 'from'), join(dir, 'to'));
  expect(await readText(join(dir, 'to', 'sub', 'file'))).toBe('x');
  expect(await stat(join(dir, 'to', 'link'))).toMatchObject({ kind: 'symlink' });
});

test('folders are made and removed, whether they are there or not', async () => {
  const deep = join(dir, 'a', 'b');
  await makeDir(deep);
  await makeDir(deep);
  await remove(join(dir, 'a'));
  await remove(join(dir, 'a'));
  expect(await exists(join(dir, 'a'))).toBe(false);
});

test('a temp folder is new each time and its path has no links', async () => {
  const made = [await makeTempDir('ralph-platform-'), await makeTempDir('ralph-platform-')];
  for (const path of made) {
    expect(await fs.realpath(path)).toBe(path);
    expect(path.startsWith(join(await fs.realpath(tmpdir()), 'ralph-platform-'))).toBe(true);
    await remove(path);
  }
  expect(made[0]).not.toBe(made[1]);
});

test('where TMPDIR names no folder, or one that is closed, temp folders are in /tmp', async () => {
  writeFileSync(join(dir, 'file'), '');
  mkdirSync(join(dir, 'closed'), { mode: 0o555 });
  // Root may write everywhere.
  const closed = process.getuid?.() === 0 ? [] : [join(dir, 'closed')];
  for (const nowhere of [join(dir, 'nowhere'), join(dir, 'file'), join(dir, 'file', 'below'), ...closed]) {
    vi.stubEnv('TMPDIR', nowhere);
    const made = await makeTempDir('ralph-platform-').finally(() => vi.unstubAllEnvs());
    rmSync(made, { recursive: true });
    expect(dirname(made)).toBe(realpathSync('/tmp'));
  }
});

test('a copy has bytes, permission bits and time; the time is never later, and earlier by microseconds only', async () => {
  const [from, to] = [join(dir, 'from'), join(dir, 'to')];
  for (const second of [1, 1_700_000_000.123_456, 1_795_391_573.999_999]) {
    await fs.writeFile(from, Buffer.from([0, 1, 255]));
    await fs.chmod(from, 0o640);
    await fs.utimes(from, second, second);
    expect(await copyWithTime(from, to)).toBe(true);
    const [source, copy] = await Promise.all([from, to].map((path) => fs.stat(path, { bigint: true })));
    expect(await fs.readFile(to)).toEqual(Buffer.from([0, 1, 255]));
    expect(copy?.mode).toBe(source?.mode);
    const earlier = Number((source?.mtimeNs ?? 0n) - (copy?.mtimeNs ?? 0n));
    expect(earlier).toBeGreaterThanOrEqual(0);
    expect(earlier).toBeLessThan(10_000);
  }
});

test('nothing is copied where no file is', async () => {
  expect(await copyWithTime(join(dir, 'none'), join(dir, 'to'))).toBe(false);
  expect(await copyWithTime(dir, join(dir, 'to'))).toBe(false);
});

test('tells what a folder is like', async () => {
  const folder = await makeTempDir('ralph-facts-');
  try {
    expect(await freeBytes(folder)).toBeGreaterThan(0);
    expect(await freeBytes(`${folder}/missing`)).toBeNull();
    expect(await notWritable(`${folder}/not/yet`)).toBeNull();
    expect(await notWritable('/dev/null/x')).toEqual({ path: '/dev/null', why: 'file' });
    if (process.platform === 'linux') expect(await ignoresCase(folder)).toBe(false);
  } finally {
    await remove(folder);
  }
});
