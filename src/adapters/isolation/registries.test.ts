import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { readRegistryFiles } from './registries.ts';

let root = '';
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'ralph-registries-'));
});
afterEach(() => rmSync(root, { recursive: true }));

function write(path: string, text = path): void {
  mkdirSync(join(root, dirname(path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

it('reads the files of the root and of its workspaces', async () => {
  const wanted = [
    'package.json',
    '.npmrc',
    '.cargo/config.toml',
    'gradle/wrapper/gradle-wrapper.properties',
    'backend/go.mod',
    'packages/app/requirements-dev.txt',
    'packages/app/.cargo/config.toml',
  ];
  const others = [
    'README.md',
    'node_modules/a/package.json',
    'packages/app/node_modules/.npmrc',
    '.git/package.json',
    'a/b/c/go.mod',
    'target/Cargo.toml',
  ];
  for (const path of [...wanted, ...others]) write(path);
  expect(await readRegistryFiles(root)).toEqual(Object.fromEntries(wanted.map((path) => [path, path])));
});

it('follows no links and passes over what is too large', async () => {
  write('elsewhere.txt');
  symlinkSync(join(root, 'elsewhere.txt'), join(root, '.npmrc'));
  mkdirSync(join(root, 'go.mod'));
  write('package-lock.json', ' '.repeat(8 * 1024 * 1024 + 1));
  expect(await readRegistryFiles(root)).toEqual({});
});

it('finds nothing in a folder that is not there', async () => {
  expect(await readRegistryFiles(join(root, 'nowhere'))).toEqual({});
});
