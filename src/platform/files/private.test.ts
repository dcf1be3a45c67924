import { execFileSync } from 'node:child_process';
import { chmod, lstat, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { closeToOthers, makePrivateDir, writePrivate } from './atomic-file.ts';
import { appendLine, openAppendLog } from './lines.ts';
import { appendTextSync } from './sync.ts';

let root: string;
const umask = process.umask(0o022);
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'ralph-private-'));
});
afterEach(async () => {
  await rm(root, { recursive: true });
  process.umask(umask);
});

const modeOf = async (path: string) => ((await lstat(join(root, path))).mode & 0o777).toString(8);

test('what is written privately is for its owner alone, whatever the umask and whatever was there', async () => {
  process.umask(0);
  await writeFile(join(root, 'old'), 'x', { mode: 0o666 });
  await writePrivate(join(root, 'old'), 'new');
  await makePrivateDir(join(root, 'a/b'));
  openAppendLog(join(root, 'c/log')).close();
  await appendLine(join(root, 'd/lines'), 'one');
  appendTextSync(join(root, 'text'), 'one\n');
  expect(await Promise.all(['old', 'a', 'a/b', 'c', 'c/log', 'd', 'd/lines', 'text'].map(modeOf))).toEqual([
    '600',
    '700',
    '700',
    '700',
    '600',
    '700',
    '600',
    '600',
  ]);
});

test('a log that is there and open to others is closed when it is opened', async () => {
  for (const name of ['log', 'lines', 'text']) await writeFile(join(root, name), 'x\n', { mode: 0o644 });
  openAppendLog(join(root, 'log')).close();
  await appendLine(join(root, 'lines'), 'one');
  appendTextSync(join(root, 'text'), 'one\n');
  expect(await Promise.all(['log', 'lines', 'text'].map(modeOf))).toEqual(['600', '600', '600']);
});

test('a folder is closed with all that is in it; links are not followed, a FIFO does not hold it up', async () => {
  await mkdir(join(root, 'runs/one'), { recursive: true });
  await writeFile(join(root, 'runs/one/events.jsonl'), '{}');
  await writeFile(join(root, 'runs/tool'), '#!/bin/sh\n');
  for (const open of ['runs', 'runs/one', 'runs/tool']) await chmod(join(root, open), 0o755);
  await writeFile(join(root, 'elsewhere'), 'x');
  await chmod(join(root, 'elsewhere'), 0o644);
  await symlink('../elsewhere', join(root, 'runs/link'));
  execFileSync('mkfifo', [join(root, 'runs/fifo')]);
  await closeToOthers(join(root, 'runs'));
  await closeToOthers(join(root, 'nothing'));
  expect(
    await Promise.all(['runs', 'runs/one', 'runs/one/events.jsonl', 'runs/tool', 'elsewhere'].map(modeOf)),
  ).toEqual(['700', '700', '600', '700', '644']);
  expect(await readFile(join(root, 'runs/link'), 'utf8')).toBe('x');
});
