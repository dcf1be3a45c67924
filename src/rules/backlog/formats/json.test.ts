import fc from 'fast-check';
import { expect, test } from 'vitest';
import { children, elementStarts, locate } from './json.ts';

const json = fc
  .tuple(fc.jsonValue({ maxDepth: 4 }), fc.constantFrom(undefined, 1, 2, '\t'))
  .map(([value, space]) => JSON.stringify(value, null, space));

test('children are what JSON.parse finds, wherever they stand', () => {
  fc.assert(
    fc.property(json, (text) => {
      const value = JSON.parse(text) as unknown;
      const found = children(text, 0).map((child) => [child.key, JSON.parse(text.slice(child.start, child.end))]);
      const expected =
        value !== null && typeof value === 'object'
          ? Object.entries(value).map(([key, entry]) => [Array.isArray(value) ? null : key, entry])
          : [];
      expect(found).toEqual(expected);
    }),
  );
});

test('elements are found by indentation just as by scanning', () => {
  fc.assert(
    fc.property(fc.array(fc.jsonValue({ maxDepth: 3 })), fc.constantFrom(undefined, 1, 4), (list, space) => {
      const text = JSON.stringify({ before: [{}], list }, null, space);
      const start = locate(text, ['list']) ?? -1;
      expect(elementStarts(text, start, list.length)).toEqual(children(text, start).map((child) => child.start));
    }),
  );
});

test('a path that leads nowhere gives null', () => {
  expect(locate('{"a":[1]}', ['a', 0])).toBe(6);
  expect(locate('{"a":[1]}', ['a', 1])).toBeNull();
  expect(locate('{"a":[1]}', ['a', 'b', 'c'])).toBeNull();
});
