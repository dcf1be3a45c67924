import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { tempDir } from '../built.fixture.ts';
import { rawModes, readInside } from './files-inside.ts';

let dir: string;
let root: string;
beforeEach(async () => {
  dir = await tempDir();
  root = join(dir, 'root');
  mkdirSync(join(root, 'sub'), { recursive: true });
  mkdirSync(join(dir, 'host'));
  writeFileSync(join(dir, 'host', 'secret'), 'secret');
  writeFileSync(join(root, 'sub', 'file'), '12345');
});
afterEach(() => rmSync(dir, { recursive: true }));

const read = async (path: string, maxBytes = 5) => {
  const found = await readInside(root, path, maxBytes);
  return found.bytes?.toString() ?? (found as { why: string | null }).why;
};

test('a file is read, also through links that stay inside and under a root that is a link', async () => {
  symlinkSync('sub', join(root, 'folder'));
  symlinkSync('folder/file', join(root, 'link'));
  expect(await Promise.all(['sub/file', 'folder/file', 'link'].map((path) => read(path)))).toEqual(
    Array(3).fill('12345'),
  );
  symlinkSync('root', join(dir, 'alias'));
  expect((await readInside(join(dir, 'alias'), 'sub/file', 5)).bytes?.toString()).toBe('12345');
});

test('what is not there has no reason', async () => {
  expect(await readInside(root, 'none', 5)).toEqual({ bytes: null, why: null });
  expect(await readInside(root, 'sub/file/below', 5)).toEqual({ bytes: null, why: null });
});

test('nothing outside is read, and nothing of a git dir', async () => {
  mkdirSync(join(root, '.git'));
  writeFileSync(join(root, '.git', 'config'), 'x');
  symlinkSync('.git/config', join(root, 'config'));
  symlinkSync('../host', join(root, 'folder'));
  symlinkSync(join(dir, 'host', 'secret'), join(root, 'link'));
  mkdirSync(`${root}-b`);
  writeFileSync(join(`${root}-b`, 'near'), 'x');
  symlinkSync('../root-b/near', join(root, 'near'));
  for (const path of ['config', 'folder/secret', 'link', 'near', '../host/secret']) {
    expect(await read(path), path).toContain('leads out of the work tree');
  }
});

test('what is not a plain file, too large or a link to nowhere says so', async () => {
  execFileSync('mkfifo', [join(root, 'fifo')]);
  symlinkSync('nowhere', join(root, 'dangling'));
  symlinkSync('circle', join(root, 'circle'));
  writeFileSync(join(root, 'huge'), '');
  truncateSync(join(root, 'huge'), 2 ** 32);
  expect(await read('fifo')).toBe('is not a plain file');
  expect(await read('sub')).toBe('is not a plain file');
  expect(await read('dangling')).toBe('is a broken link');
  expect(await read('circle')).toBe('cannot be read (ELOOP)');
  expect(await read('huge', 2 ** 24)).toBe('is larger than 16 MB');
});

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
    { kind: 'symlink', mode: expect.any(Number) },
  ]);
});

test('many paths are looked at in turns, and none is lost', async () => {
  const found = await rawModes(
    tmpdir(),
    Array.from({ length: 2_500 }, (_, at) => (at % 2 === 0 ? '.' : 'no-such-name')),
  );
  expect(found.filter((entry) => entry?.kind === 'dir')).toHaveLength(1_250);
});
