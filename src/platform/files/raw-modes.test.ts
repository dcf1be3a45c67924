import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { rawModes } from './raw-modes.ts';

test('tells kind and permission bits of each path, in their order; null where nothing is', async () => {
  const root = mkdtempSync(join(tmpdir(), 'ralph-modes-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  writeFileSync(join(root, 'plain'), '');
  chmodSync(join(root, 'plain'), 0o604);
  mkdirSync(join(root, 'folder'));
  chmodSync(join(root, 'folder'), 0o1705);
  symlinkSync('plain', join(root, 'link'));
  const odd = Buffer.from([0xff, 0x20, 0xe4]);
  writeFileSync(Buffer.concat([Buffer.from(`${root}/`), odd]), '');
  chmodSync(Buffer.concat([Buffer.from(`${root}/`), odd]), 0o700);

  const paths = ['folder', 'plain', 'plain/below', 'gone', odd.toString('latin1'), 'link'];
  expect(await rawModes(root, paths)).toEqual([
    { kind: 'dir', mode: 0o1705 },
    { kind: 'file', mode: 0o604 },
    null,
    null,
    { kind: 'file', mode: 0o700 },
    { kind: 'other', mode: expect.any(Number) },
  ]);
});

test('many paths are looked at in turns, and none is lost', async () => {
  const found = await rawModes(
    tmpdir(),
    Array.from({ length: 2_500 }, (_, at) => (at % 2 === 0 ? '.' : 'no-such-name')),
  );
  expect(found.filter((entry) => entry?.kind === 'dir')).toHaveLength(1_250);
});
