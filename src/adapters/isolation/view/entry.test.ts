import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isWithin } from '../../../platform/index.ts';
import { foldersBetween, isSeen, isThere, normalPath, outermost, type ViewEntry } from './entry.ts';

const VIEW: readonly ViewEntry[] = [
  { kind: 'empty', at: '/tmp' },
  { kind: 'read', from: '/usr', at: '/usr' },
  { kind: 'link', at: '/bin', target: '/usr/bin' },
  { kind: 'read', from: '/etc', at: '/etc' },
  { kind: 'mask', at: '/etc/shadow', of: 'file' },
  { kind: 'write', from: '/state/home', at: '/home/una' },
  { kind: 'read', from: '/home/una/.nvm', at: '/home/una/.nvm' },
  { kind: 'write', from: '/projects/app', at: '/projects/app' },
];

test.each([
  ['/usr/bin/node', true],
  ['/bin/sh', true],
  ['/etc/hosts', true],
  ['/etc/shadow', false],
  ['/home/una/.ssh/id', false],
  ['/home/una/.nvm/versions', true],
  ['/projects/app/src', true],
  ['/projects/other', false],
  ['/tmp/x', false],
])('what the host has at %s: seen is %s', (path, seen) => {
  expect(isSeen(VIEW, path)).toBe(seen);
});

test('what a later entry covers is decided by it alone', () => {
  const covered: readonly ViewEntry[] = [...VIEW, { kind: 'empty', at: '/usr/local' }];
  expect(isSeen(covered, '/usr/local/bin/x')).toBe(false);
  expect(isSeen(covered, '/usr/bin/x')).toBe(true);
});

test('a folder in memory is there, but nothing of the host is in it', () => {
  expect(isThere(VIEW, '/tmp')).toBe(true);
  expect(isThere(VIEW, '/tmp/agent.sock')).toBe(false);
  expect(isThere(VIEW, '/home/una/bin')).toBe(true);
  expect(isThere(VIEW, '/etc/shadow')).toBe(false);
});

const path = fc
  .array(fc.constantFrom('a', 'ab', 'b', ' ', '-'), { maxLength: 5 })
  .map((names) => `/${names.join('/')}`);

test('a path is within itself, what is above it, and nothing that only begins alike', () => {
  expect(isWithin('/a/b', '/a')).toBe(true);
  expect(isWithin('/a', '/a')).toBe(true);
  expect(isWithin('/ab', '/a')).toBe(false);
  expect(isWithin('/a', '/')).toBe(true);
});

test('the folders on the way are above the path and below the folder, outermost first', () => {
  fc.assert(
    fc.property(path, path, (folder, other) => {
      const below = normalPath(`${folder}/${other}`) ?? '';
      const between = foldersBetween(folder, below);
      expect(
        between.every((one) => isWithin(below, one) && isWithin(one, folder) && one !== below && one !== folder),
      ).toBe(true);
      expect([...between].sort((a, b) => a.length - b.length)).toEqual(between);
    }),
  );
  expect(foldersBetween('/a', '/a/b/c/d')).toEqual(['/a/b', '/a/b/c']);
  expect(foldersBetween('/', '/a/b')).toEqual(['/a']);
  expect(foldersBetween('/b', '/a/b')).toEqual([]);
});

test('of many paths the outermost cover all of them, and none of these another', () => {
  fc.assert(
    fc.property(fc.array(path), (paths) => {
      const outer = outermost(paths);
      expect(paths.every((one) => outer.some((folder) => isWithin(one, folder)))).toBe(true);
      expect(outer.some((one) => outer.some((other) => other !== one && isWithin(one, other)))).toBe(false);
    }),
  );
});

test('relative paths are none', () => {
  expect(normalPath('a/b')).toBe(null);
  expect(normalPath('')).toBe(null);
  expect(normalPath(undefined)).toBe(null);
  expect(normalPath('/a//b/../c/')).toBe('/a/c');
});
