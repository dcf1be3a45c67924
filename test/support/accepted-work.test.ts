import { expect, test } from 'vitest';
import { aLine, aReset } from '../../src/rules/safeguards/ledger.fixture.ts';
import { missingWork } from './accepted-work.ts';

const LEDGER = [
  aLine({ story: 'A', base: '0', commit: '1', workFiles: 1 }),
  aLine({ story: 'B', iteration: 2, base: '1', commit: '2', workFiles: 1 }),
];
const WORK: Readonly<Record<string, readonly string[]>> = { '0 1': ['a.txt', 'ralph/tasks.json'], '1 2': ['b.txt'] };
const seenWith = (atHead: Readonly<Record<string, readonly string[]>>) => (from: string, to: string) =>
  WORK[`${from} ${to}`] ?? atHead[from] ?? [];

test('a done story whose files are as before it is found', () => {
  const planted = seenWith({ '0': ['b.txt', 'ralph/tasks.json'], '1': ['b.txt'] });
  expect(missingWork(['A', 'B'], LEDGER, 'head', planted)).toEqual([
    'A is done, and nothing of its work is there: a.txt',
  ]);
  expect(missingWork(['B'], LEDGER, 'head', planted)).toEqual([]);
  expect(missingWork(['A', 'B'], [...LEDGER, aReset('A')], 'head', planted)).toEqual([]);
});

test('a story whose work is there, also changed by later ones, is in order', () => {
  const sound = seenWith({ '0': ['a.txt', 'b.txt'], '1': ['b.txt'] });
  expect(missingWork(['A', 'B'], LEDGER, 'head', sound)).toEqual([]);
});
