import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from './root.ts';

interface Entry {
  readonly resolved?: string;
  readonly integrity?: string;
}

const lock: { readonly packages: Readonly<Record<string, Entry>> } = JSON.parse(
  await readFile(join(root, 'package-lock.json'), 'utf8'),
);
const entries = Object.entries(lock.packages).filter(([path]) => path !== '');

test('the lock file names no registry: it works behind any mirror', () => {
  expect(entries.filter(([, entry]) => entry.resolved !== undefined)).toEqual([]);
});

test('the lock file has a hash for every package', () => {
  expect(entries.filter(([, entry]) => entry.integrity === undefined).map(([path]) => path)).toEqual([]);
});
