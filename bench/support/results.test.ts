import { expect, it } from 'vitest';
import { compare, type Results, table } from './results.ts';
import { type Row, rowOf } from './rows.ts';

function results(...rows: readonly Row[]): Results {
  const machine = { cpu: 'c', cores: 2, memory: 8, kernel: '6', node: 'v20', git: '2', load: 0 };
  return { version: 1, date: '2026-01-01T00:00:00Z', commit: 'abc', machine, ran: ['a'], failed: [], rows };
}

it('counts the targets that were met, leaving out rows that were not measured', () => {
  const limit = '(target < 5 ms)';
  const text = table(
    results(
      rowOf('a', 'good', '4 ms', limit),
      rowOf('a', 'bad', '6 ms', limit),
      rowOf('a', 'absent', 'not measured', limit),
    ),
  );
  expect(text).toContain('1 of 2 targets met, 1 missed');
  expect(text).toMatch(/bad .*MISSED/);
});

it('compares ratios where both runs have one, and values else', () => {
  const then = results(rowOf('a', 'r', '20 ms', '2.00 × bare'), rowOf('a', 'v', '10 files', ''));
  const now = results(rowOf('a', 'r', '20 ms', '3.00 × bare'), rowOf('a', 'v', '12 files', ''));
  expect(compare(now, then)).toMatch(/a: r +2 → 3 × \(\+50 %\)/);
  expect(compare(now, then)).toMatch(/a: v +10 → 12 files \(\+20 %\)/);
});

it('names rows that only one of the two runs has, of the benchmarks that ran', () => {
  const now = results(rowOf('a', 'x', '1 ms', ''));
  const then = results(rowOf('a', 'y', '1 ms', ''), rowOf('b', 'z', '1 ms', ''));
  const text = compare(now, then);
  expect(text).toMatch(/a: x +new/);
  expect(text).toMatch(/a: y +gone/);
  expect(text).not.toContain('z');
});
