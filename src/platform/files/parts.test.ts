import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openParts } from './parts.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ralph-parts-'));
  writeFileSync(join(folder, 'sum.cjs'), SUM);
  writeFileSync(
    join(folder, 'main.cjs'),
    'exports.three = () => require("./sum.cjs").sum(1, 2); exports.path = require("node:path");',
  );
});
afterEach(() => rmSync(folder, { recursive: true }));

const parts = () => openParts(folder, createRequire(import.meta.url));
const SUM = 'exports.sum = (a, b) => a + b; exports.made = {};';
const COMPILED = `sum.cjs.${process.version}-${process.arch}`;

/** One process that uses the part. */
function use(): void {
  const { load, keepCompiled } = parts();
  expect((load('./sum.cjs') as { sum(a: number, b: number): number }).sum(1, 2)).toBe(3);
  keepCompiled();
}

test('a part loads others, each once, and modules of Node', () => {
  const { load } = parts();
  const main = load('./main.cjs') as { three(): number; path: unknown };
  expect(main.three()).toBe(3);
  expect(main.path).toBe(createRequire(import.meta.url)('node:path'));
  expect(load('./sum.cjs')).toBe(load('./sum.cjs'));
});

test('the compiled form that one process leaves is the next one takes and leaves alone', () => {
  use();
  const left = statSync(join(folder, COMPILED));
  expect(left.mode & 0o777).toBe(0o644 & ~process.umask());
  use();
  expect(statSync(join(folder, COMPILED)).ino).toBe(left.ino);
  expect(readdirSync(folder)).toEqual(['main.cjs', 'sum.cjs', COMPILED]);
});

test.each([
  { name: 'is empty', spoil: () => Buffer.of() },
  { name: 'is cut off', spoil: (form: Buffer) => form.subarray(0, -9) },
  { name: 'has a wrong byte', spoil: (form: Buffer) => form.fill(0xff, form.length >> 1, (form.length >> 1) + 1) },
  { name: 'is no compiled form', spoil: () => Buffer.from('exports.sum = () => 4;') },
  { name: 'others can change', spoil: (form: Buffer) => form, mode: 0o666 },
])('a compiled form that $name is replaced', ({ spoil, mode }) => {
  use();
  const path = join(folder, COMPILED);
  const good = readFileSync(path);
  writeFileSync(path, spoil(Buffer.from(good)));
  if (mode !== undefined) chmodSync(path, mode);
  const { ino } = statSync(path);
  use();
  expect(statSync(path).ino).not.toBe(ino);
  expect(readFileSync(path).length).toBe(good.length);
});

test('where a compiled form cannot be written, everything works without it', () => {
  writeFileSync(join(folder, `${COMPILED}.${process.pid}`), '');
  use();
  expect(readdirSync(folder)).not.toContain(COMPILED);
});

test('a part that is missing fails the process', () => {
  const before = process.exitCode;
  try {
    expect(() => parts().load('./guard.cjs')).toThrow('guard.cjs');
    expect(process.exitCode).toBe(1);
  } finally {
    process.exitCode = before;
  }
});
