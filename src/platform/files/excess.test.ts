import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { findExcess } from './files-inside.ts';

let root = '';
afterEach(() => rmSync(root, { recursive: true, force: true }));
const modeOf = (path: string) => statSync(join(root, path)).mode & 0o777;

test('folders that were locked since are opened for their owner, the top one too, and what hides there is found', async () => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'ralph-excess-')));
  for (const folder of ['spec', 'locked/inner']) mkdirSync(join(root, folder), { recursive: true });
  writeFileSync(join(root, 'locked/inner/tool'), 'x');
  chmodSync(join(root, 'locked/inner/tool'), 0o4755);
  for (const [folder, mode] of [
    ['spec', 0o555],
    ['locked/inner', 0o500],
    ['locked', 0],
    ['', 0o555],
  ] as const)
    chmodSync(join(root, folder), mode);
  const { privileged } = await findExcess(root, Date.now() - 60_000, '.ralph/runs');
  expect(privileged).toEqual(['locked/inner/tool']);
  expect(['spec', 'locked', 'locked/inner', ''].map(modeOf)).toEqual([0o755, 0o700, 0o700, 0o755]);
});

test('a folder that was locked before stays locked', async () => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'ralph-excess-')));
  mkdirSync(join(root, 'own'));
  chmodSync(join(root, 'own'), 0o555);
  await findExcess(root, Date.now() + 60_000, '.ralph/runs');
  expect(modeOf('own')).toBe(0o555);
});
