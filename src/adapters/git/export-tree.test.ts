import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { makeRepository } from '../../../test/support/command-repository.ts';
import { openGit } from './index.ts';

test('a tree is written out as it is, in whole or in part, and links in the way are not followed', async () => {
  const repo = await makeRepository({
    'a.txt': 'one\r\n',
    'sub/run.sh': 'true\n',
    '.gitattributes': '*.txt text eol=lf\n',
  });
  const dir = mkdtempSync(join(tmpdir(), 'ralph-export-'));
  const outside = mkdtempSync(join(tmpdir(), 'ralph-export-'));
  onTestFinished(async () => {
    await repo.remove();
    for (const folder of [dir, outside]) rmSync(folder, { recursive: true });
  });
  const git = await openGit(repo.root);
  symlinkSync('a.txt', join(repo.root, 'link'));
  writeFileSync(join(repo.root, 'sub/run.sh'), 'false\n', { mode: 0o755 });
  const { head, tree } = await git.checkpoint('lane-0');
  await git.exportTree(tree, dir);
  expect(readFileSync(join(dir, 'a.txt'), 'utf8')).toBe('one\r\n');
  expect(readlinkSync(join(dir, 'link'))).toBe('a.txt');
  expect(readFileSync(join(dir, 'sub/run.sh'), 'utf8')).toBe('false\n');

  rmSync(join(dir, 'sub'), { recursive: true });
  symlinkSync(outside, join(dir, 'sub'));
  mkdirSync(join(outside, 'kept'));
  writeFileSync(join(dir, 'a.txt'), 'mine');
  await git.exportTree(head, dir, ['sub/run.sh']);
  expect(lstatSync(join(dir, 'sub')).isDirectory()).toBe(true);
  expect(readFileSync(join(dir, 'sub/run.sh'), 'utf8')).toBe('true\n');
  expect(() => lstatSync(join(outside, 'run.sh'))).toThrow();
  expect(readFileSync(join(dir, 'a.txt'), 'utf8')).toBe('mine');
});
