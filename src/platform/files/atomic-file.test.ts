import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { buildProgram, exitOf, firstLine, type Program, tempDir } from '../built.fixture.ts';
import { systemClock } from '../clock.ts';
import { removeStaleTemps, writeAtomic } from './atomic-file.ts';

let program: Program;
let dir: string;
let path: string;

beforeAll(async () => {
  program = await buildProgram(new URL('atomic-file.fixture.ts', import.meta.url));
});
afterAll(() => program.dispose());
beforeEach(async () => {
  dir = await tempDir();
  path = join(dir, 'file');
});
afterEach(() => rmSync(dir, { recursive: true }));

const permissions = () => lstatSync(path).mode & 0o777;

test('a file is written with the folders on its way', async () => {
  const deep = join(dir, 'a', 'b', 'file');
  await writeAtomic(deep, 'text');
  await writeAtomic(deep, Uint8Array.of(0, 255));
  expect([...readFileSync(deep)]).toEqual([0, 255]);
  expect(readdirSync(join(dir, 'a', 'b'))).toEqual(['file']);
});

test('a replaced file keeps its permissions unless others are given', async () => {
  writeFileSync(path, 'old');
  chmodSync(path, 0o751);
  await writeAtomic(path, 'new');
  expect(permissions()).toBe(0o751);
  await writeAtomic(path, 'newer', { mode: 0o600 });
  expect(permissions()).toBe(0o600);
});

test('a planted link is replaced, and what it points to is left alone', async () => {
  writeFileSync(join(dir, 'precious'), 'theirs');
  symlinkSync('precious', path);
  await writeAtomic(path, 'ours');
  expect(readFileSync(join(dir, 'precious'), 'utf8')).toBe('theirs');
  expect(lstatSync(path).isFile()).toBe(true);
});

test('a write that fails leaves nothing behind', async () => {
  mkdirSync(join(path, 'below'), { recursive: true });
  await expect(writeAtomic(path, 'text')).rejects.toThrow(/EISDIR|ENOTEMPTY/);
  expect(readdirSync(dir)).toEqual(['file']);
});

test('many writers of one file do not mix', async () => {
  const texts = Array.from({ length: 20 }, (_, n) => String(n).repeat(50_000));
  await Promise.all(texts.map((text) => writeAtomic(path, text, { fsync: false })));
  expect(texts).toContain(readFileSync(path, 'utf8'));
  expect(readdirSync(dir)).toEqual(['file']);
});

test('kill -9 at any moment leaves the old bytes or the new ones, and leftovers can be swept', async () => {
  for (let round = 0; round < 12; round += 1) {
    writeFileSync(path, 'b'.repeat(300_000));
    const writer = program.start([path, round % 2 === 0 ? 'fsync' : '']);
    const exited = exitOf(writer);
    await firstLine(writer);
    await systemClock.sleep(round * 3);
    writer.kill('SIGKILL');
    await exited;
    const text = readFileSync(path, 'utf8');
    expect(text === 'a'.repeat(300_000) || text === 'b'.repeat(300_000)).toBe(true);
  }
  writeFileSync(join(dir, '.other'), 'not ours');
  const left = readdirSync(dir).length;
  expect(await removeStaleTemps(dir)).toBe(left - 2);
  expect(readdirSync(dir)).toEqual(['.other', 'file']);
});
