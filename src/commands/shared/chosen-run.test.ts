import { execFileSync } from 'node:child_process';
import { appendFile, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { allRuns, chosenRun } from './chosen-run.ts';

const RUN = '20260101-100000-abcd';
const HEADER = `{"type":"log","version":1,"run":"${RUN}"}\n`;
let root = '';
let log = '';
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'ralph-chosen-run-'));
  const folder = join(root, '.ralph/runs', RUN);
  await mkdir(folder, { recursive: true });
  log = join(folder, 'events.jsonl');
});
afterEach(() => rm(root, { recursive: true, force: true }));

test.each([
  ['random bytes', 'does not begin like a log', () => writeFile(log, Buffer.from([0, 255, 10, 7, 123, 10]))],
  ['empty', 'is empty', () => writeFile(log, '')],
  ['without a header', 'does not begin like a log', () => writeFile(log, '{"type":"run-start"}\n')],
  ['a folder', 'is not a plain file', () => mkdir(log)],
  ['a link that leads out', 'is a link', () => symlink('/etc/hostname', log)],
  ['a pipe', 'is not a plain file', async () => void execFileSync('mkfifo', [log])],
])('a log that is %s is said to be unreadable, however the run is asked for', async (_, why, make) => {
  await make();
  for (const ask of [() => chosenRun(root, undefined), () => chosenRun(root, RUN), () => allRuns(root)]) {
    await expect(ask()).rejects.toMatchObject({
      exitCode: 2,
      facts: { what: `the log of run ${RUN} cannot be read`, why: expect.stringContaining(why) },
    });
  }
});

test('a folder without a log is no run to speak of', async () => {
  expect(await chosenRun(root, undefined)).toBeNull();
  expect((await chosenRun(root, RUN))?.run).toBe(RUN);
  expect(await allRuns(root)).toEqual([]);
});

test('a log that is torn behind its header is one', async () => {
  await writeFile(log, HEADER);
  await appendFile(log, '{"ts":"2026-01-01T10:00:0');
  expect((await chosenRun(root, undefined))?.run).toBe(RUN);
});
