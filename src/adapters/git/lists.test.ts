import fc from 'fast-check';
import { expect, test } from 'vitest';
import { pathFromBytes, pathToBytes } from '../../platform/index.ts';
import { joinNul, splitNul } from './lists.ts';

const name = fc.uint8Array({ minLength: 1, maxLength: 12 }).map((bytes) => Buffer.from(bytes));

test('any bytes survive the way to text, through JSON, and back', () => {
  fc.assert(
    fc.property(name, (bytes) => {
      const text = JSON.parse(JSON.stringify(pathFromBytes(bytes))) as string;
      expect(pathToBytes(text).equals(bytes)).toBe(true);
    }),
  );
});

test('UTF-8 names read as they are written', () => {
  expect(pathFromBytes(Buffer.from('naïve/日本.txt'))).toBe('naïve/日本.txt');
  expect(pathFromBytes(Buffer.from([0x61, 0xff, 0xc3, 0xa9]))).toBe('a\udcffé');
});

test('NUL lists split into what they were joined from', () => {
  const paths = ['a b', '-x', 'new\nline', 'raw\udcff'];
  expect(splitNul(joinNul(paths)).map(pathFromBytes)).toEqual(paths);
});
