import { expect, test } from 'vitest';
import { readMatrixArguments } from './arguments.ts';

const KNOWN = ['20', '22', '24'];

test('without words every line runs everything', () => {
  expect(readMatrixArguments([], KNOWN)).toEqual({ lines: KNOWN, tests: [] });
});

test('numbers name lines, other words name tests', () => {
  expect(readMatrixArguments(['24', 'unit', 'journal', '20'], KNOWN)).toEqual({
    lines: ['24', '20'],
    tests: ['unit', 'journal'],
  });
});

test('a line that ralph does not support is refused with those that it does', () => {
  expect(() => readMatrixArguments(['18', '24'], KNOWN)).toThrow('Node 18 is no line that ralph supports');
});
