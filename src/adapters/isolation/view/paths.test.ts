import fc from 'fast-check';
import { expect, test } from 'vitest';
import { foldersBetween, isWithin, normalPath, outermost } from './paths.ts';

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
