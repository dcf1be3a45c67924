import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, mkdirSync, readFileSync, rmSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { tempDir } from '../built.fixture.ts';
import { appendLine, readLog } from './lines.ts';

let dir: string;
let path: string;
beforeEach(async () => {
  dir = await tempDir();
  path = join(dir, 'sub', 'log.jsonl');
});
afterEach(() => rmSync(dir, { recursive: true }));

async function lines(): Promise<readonly string[]> {
  return (await readLog(path)).lines.filter((line) => line !== '');
}

test('lines come back in order, folders are made', async () => {
  await appendLine(path, 'one');
  await appendLine(path, 'zwei é');
  expect(readFileSync(path, 'utf8')).toBe('one\nzwei é\n');
});

test('a line that stayed torn spoils no other', async () => {
  await appendLine(path, 'whole');
  appendFileSync(path, '\n{"torn":');
  await appendLine(path, 'next');
  expect(await lines()).toEqual(['whole', '{"torn":', 'next']);
  truncateSync(path, 3);
  await appendLine(path, 'last');
  expect(await lines()).toEqual(['who', 'last']);
});

test('processes that append long lines at the same time tear none of them', async () => {
  const program = `
    const { appendLine } = await import(${JSON.stringify(new URL('./lines.ts', import.meta.url).href)});
    for (let i = 0; i < 20; i++) await appendLine(process.argv[1], process.argv[2].repeat(60_000));`;
  const letters = ['a', 'b', 'c'];
  const children = letters.map((letter) =>
    spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', program, path, letter], {
      stdio: 'inherit',
    }),
  );
  expect(await Promise.all(children.map(async (child) => (await once(child, 'close'))[0]))).toEqual([0, 0, 0]);
  const written = await lines();
  for (const letter of letters) expect(written.filter((line) => line === letter.repeat(60_000))).toHaveLength(20);
  expect(written).toHaveLength(60);
});

test('a FIFO where the file should be is named, not written to', async () => {
  mkdirSync(join(dir, 'sub'));
  execFileSync('mkfifo', [path]);
  await expect(appendLine(path, 'one')).rejects.toMatchObject({ code: 'ENOTFILE', path });
});
