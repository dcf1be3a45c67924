import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ATTEMPTS } from '../../src/adapters/isolation/battery/run.ts';
import { ROWS } from '../../src/commands/selftest/rows/all.ts';
import { root } from '../root.ts';
import { SWITCHES, WITHOUT_TEETH } from './switches/all.ts';

const rows = [...ROWS.map(({ name }) => name), ...ATTEMPTS.map(({ id }) => id)];
const switched = SWITCHES.flatMap(({ selftest = [], battery = [] }) => [...selftest, ...battery]);

test('every row of both batteries has a switch that turns its protection off, or a reason why not', () => {
  expect(rows.filter((row) => !switched.includes(row) && WITHOUT_TEETH[row] === undefined)).toEqual([]);
});

test('a switch names rows that exist, and its own name is not taken', () => {
  expect([...switched, ...Object.keys(WITHOUT_TEETH)].filter((row) => !rows.includes(row))).toEqual([]);
  const names = SWITCHES.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
});

test.each(SWITCHES)('without $name: what it changes stands exactly once in the sources', ({ edits }) => {
  for (const { file, from } of edits) expect(readFileSync(join(root, file), 'utf8').split(from)).toHaveLength(2);
});
