import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { lendDependencies } from './dependencies.ts';

let base: string;
let root: string;
let dir: string;
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'ralph-lend-')));
  root = join(base, 'project');
  dir = join(base, 'fresh');
  for (const folder of [root, dir]) mkdirSync(join(folder, 'packages/cart'), { recursive: true });
});
afterEach(() => rmSync(base, { recursive: true }));

function put(path: string, text = ''): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

const lend = (isWork = (_: string) => false) => lendDependencies({ root, dir, isWork });

test('what is ignored is linked, at the root and in members; what git sees is not', async () => {
  put('node_modules/one/index.js');
  put('packages/cart/node_modules/two/index.js');
  put('vendor/three/code.go');
  expect(await lend((path) => path === 'vendor')).toBeNull();
  expect(readlinkSync(join(dir, 'node_modules'))).toBe(join(root, 'node_modules'));
  expect(readlinkSync(join(dir, 'packages/cart/node_modules'))).toBe(join(root, 'packages/cart/node_modules'));
  expect(() => readlinkSync(join(dir, 'vendor'))).toThrow(/ENOENT/);
});

test('members of a workspace lead to the fresh tree', async () => {
  put('node_modules/one/index.js');
  put('node_modules/@shop/tool/index.js');
  symlinkSync('../../packages/cart', join(root, 'node_modules/@shop/cart'));
  await lend();
  expect(realpathSync(join(dir, 'node_modules/@shop/cart'))).toBe(join(dir, 'packages/cart'));
  expect(realpathSync(join(dir, 'node_modules/@shop/tool'))).toBe(join(root, 'node_modules/@shop/tool'));
  expect(realpathSync(join(dir, 'node_modules/one'))).toBe(join(root, 'node_modules/one'));
});

test('the class loader of Composer is copied: it looks beside itself', async () => {
  put('vendor/composer/autoload_psr4.php', '<?php');
  await lend();
  expect(readFileSync(join(dir, 'vendor/composer/autoload_psr4.php'), 'utf8')).toBe('<?php');
  expect(realpathSync(join(dir, 'vendor'))).toBe(join(dir, 'vendor'));
});

test('a virtual environment with the project installed in place is told', async () => {
  put('.venv/lib/python3.12/site-packages/__editable__.shop.pth', `${root}/src\n`);
  expect(await lend()).toContain('.venv holds an editable install');
});
