import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { runs } from '../../../test/support/property-runs.ts';
import { tempDir } from '../built.fixture.ts';
import { openAppendLog, readLog } from './lines.ts';

let dir: string;
let path: string;
beforeEach(async () => {
  dir = await tempDir();
  path = join(dir, 'sub', 'log.jsonl');
});
afterEach(() => rmSync(dir, { recursive: true }));

function append(...lines: readonly string[]): void {
  const log = openAppendLog(path);
  for (const line of lines) log.append(line);
  log.sync();
  log.close();
}

test('lines come back in order, over several openings', async () => {
  append('one', '', 'drei é');
  append('four');
  expect(await readLog(path)).toEqual({ lines: ['one', '', 'drei é', 'four'], torn: null });
});

test('a missing log has no lines', async () => {
  expect(await readLog(path)).toEqual({ lines: [], torn: null });
});

test('the size counts bytes', () => {
  const log = openAppendLog(path);
  log.append('é');
  expect(log.size()).toBe(3);
  log.close();
});

test('a torn last line is told apart, and cut off before the next append', async () => {
  append('one');
  appendFileSync(path, '{"tw');
  expect(await readLog(path)).toEqual({ lines: ['one'], torn: '{"tw' });
  append('three');
  expect(await readLog(path)).toEqual({ lines: ['one', 'three'], torn: null });
});

test('a last line that its reader knows to be whole gets its newline instead', async () => {
  append('one');
  appendFileSync(path, 'zwö');
  const log = openAppendLog(path, (line) => line === 'zwö');
  log.append('three');
  log.close();
  expect(await readLog(path)).toEqual({ lines: ['one', 'zwö', 'three'], torn: null });
});

test('a log that was torn in its first line starts afresh', async () => {
  append();
  writeFileSync(path, 'x'.repeat(200_000));
  append('one');
  expect(readFileSync(path, 'utf8')).toBe('one\n');
});

test('wherever a log is cut, all whole lines survive and nothing is glued to the rest', () => {
  append();
  const line = fc.oneof(
    fc.stringMatching(/^[ -~é]*$/),
    fc.integer({ min: 65_500, max: 65_600 }).map((n) => 'y'.repeat(n)),
  );
  const cases = fc.tuple(fc.array(line, { maxLength: 5 }), fc.double({ min: 0, max: 1, noNaN: true }));
  return fc.assert(
    fc.asyncProperty(cases, async ([lines, share]) => {
      const whole = Buffer.from(lines.map((text) => `${text}\n`).join(''));
      const cut = whole.subarray(0, Math.floor(whole.length * share));
      writeFileSync(path, cut);
      append('next');
      const intact = lines.slice(0, cut.toString('latin1').split('\n').length - 1);
      expect(await readLog(path)).toEqual({ lines: [...intact, 'next'], torn: null });
    }),
    { numRuns: runs(100) },
  );
});

test('a FIFO where the log should be is named, not written to', () => {
  mkdirSync(join(dir, 'sub'));
  execFileSync('mkfifo', [path]);
  expect(() => openAppendLog(path)).toThrow(expect.objectContaining({ code: 'ENOTFILE', path }));
});
