import { mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { COMPLETE_FILE, ralphComplete } from './ralph-complete.ts';

let root = '';
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'ralph-complete-'));
});
afterEach(() => rm(root, { recursive: true, force: true }));

const make = () => writeFile(join(root, COMPLETE_FILE), '');
const condition = () => ralphComplete({ options: {}, root, run: 'run-1' });

test('a file that is made during the run ends it', async () => {
  const { exitWhen } = await condition();
  expect(await exitWhen()).toBeNull();
  await make();
  expect(await exitWhen()).toBe('the file was made in the root of the project');
});

test('one that was there before does not, until it is touched', async () => {
  await make();
  const { exitWhen } = await condition();
  expect(await exitWhen()).toBeNull();
  await utimes(join(root, COMPLETE_FILE), new Date(), new Date(Date.now() + 5_000));
  expect(await exitWhen()).not.toBeNull();
});
