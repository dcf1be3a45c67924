import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, realpath, rename, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { makeSocketFolder } from './sockets.ts';

/** More than any system has. */
const NO_PROCESS = 99_999_999;

let base = '';
beforeEach(async () => {
  // Not in the temp folder of macOS, which is too long for it.
  base = await realpath(await mkdtemp('/tmp/sf-'));
  vi.stubEnv('TMPDIR', base);
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(base, { recursive: true });
});

/** A folder as if it had been made so many minutes ago. */
async function folder(name: string, minutes: number): Promise<string> {
  const path = join(base, name);
  await mkdir(path);
  await writeFile(join(path, 'egress.sock'), '');
  const then = Date.now() / 1000 - minutes * 60;
  await utimes(path, then, then);
  return path;
}

test('a folder is private, and named after the process', async () => {
  const made = await makeSocketFolder('sock-');
  expect(dirname(made)).toBe(base);
  expect(basename(made)).toMatch(new RegExp(`^sock-${process.pid}-.{6}$`));
});

test('what a process that was killed here left is removed at once', async () => {
  const made = await makeSocketFolder('sock-');
  const left = join(base, `sock-${NO_PROCESS}-abcdef`);
  await rename(made, left);
  await makeSocketFolder('sock-');
  expect(existsSync(left)).toBe(false);
});

test('what a killed process of another container left is removed after an hour', async () => {
  const left = await folder(`sock-${NO_PROCESS}-abcdef`, 61);
  await makeSocketFolder('sock-');
  expect(existsSync(left)).toBe(false);
});

test('nothing else is', async () => {
  const sleeper = spawn('sleep', ['30']);
  await mkdir(join(base, 'target'));
  await writeFile(join(base, 'target', 'file'), '');
  await symlink(join(base, 'target'), join(base, `sock-${NO_PROCESS}-linked`));
  const kept = await Promise.all([
    folder(`sock-${NO_PROCESS}-abcdef`, 59),
    folder(`sock-${process.pid}-abcdef`, 120),
    folder(`sock-${sleeper.pid}-abcdef`, 120),
    folder('sock-abcdef', 120),
    folder(`other-${NO_PROCESS}-abcdef`, 120),
  ]);
  await makeSocketFolder('sock-');
  sleeper.kill();
  const linked = join(base, `sock-${NO_PROCESS}-linked`, 'file');
  expect([...kept, linked].filter((path) => !existsSync(path))).toEqual([]);
});
