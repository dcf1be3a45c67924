import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { pluginFiles } from './find-plugin.ts';

let root = '';
beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'ralph-plugin-files-')));
});
afterEach(() => rm(root, { recursive: true, force: true }));

async function put(files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
}

const filesOf = (...uses: readonly string[]) =>
  pluginFiles(
    root,
    uses.map((use) => ({ use, options: {} })),
  );

test('a plugin, and what it imports from the tree, also in a circle', async () => {
  await put({
    'p/a.js': `import './b.js'; import 'node:fs';`,
    'p/b.js': `import '../lib/c.js';`,
    'lib/c.js': `import '../p/a.js';`,
    'lib/other.js': '',
  });
  expect(await filesOf('./p/a.js')).toEqual(['p/a.js', 'p/b.js', 'lib/c.js']);
});

test('endings that require completes, and the index of a folder', async () => {
  await put({ 'p/index.js': `require('./lib'); require('./data')`, 'p/lib/index.js': '', 'p/data.json': '{}' });
  expect(await filesOf('./p')).toEqual(['p', 'p/index.js', 'p/lib/index.js', 'p/data.json']);
});

test('the folder of a package, and where it really is', async () => {
  await put({
    'packages/mine/package.json': '{"main":"m.js"}',
    'packages/mine/m.js': '',
    'node_modules/x/index.js': '',
  });
  await symlink('../packages/mine', join(root, 'node_modules/mine'));
  expect(await filesOf('x', 'mine', '@acme/gone/sub')).toEqual([
    'packages/mine/m.js',
    'node_modules/x',
    'node_modules/mine',
    'node_modules/@acme/gone',
  ]);
});

test('what is not there counts by its name: nobody may put it there', async () => {
  await put({ 'p/a.js': `import './soon.js';` });
  expect(await filesOf('./p/a.js', './gone.js')).toEqual(['p/a.js', 'gone.js', 'p/soon.js']);
});

test('a link counts with what it leads to', async () => {
  await put({ 'real.js': `import './lib.js';`, 'lib.js': '' });
  await symlink('real.js', join(root, 'link.js'));
  expect((await filesOf('./link.js')).toSorted()).toEqual(['lib.js', 'link.js', 'real.js']);
});
