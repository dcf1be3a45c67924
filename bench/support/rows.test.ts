import { expect, it } from 'vitest';
import { isMet, line, rowOf } from './rows.ts';
import { ms, ratio, target } from './statistics.ts';

it('reads value, unit, ratio and target off what a benchmark prints', () => {
  const row = rowOf('startup', 'ralph --version', ms(39.25), ratio(1.31, 1.5));
  expect(row).toMatchObject({ value: 39.3, unit: 'ms', ratio: 1.31, target: { of: 'ratio', sign: '≤', limit: 1.5 } });
  expect(isMet(row)).toBe(true);
  expect(isMet(rowOf('a', 'slow', ms(60), ratio(2, 1.5)))).toBe(false);
});

it('judges values that may not be larger, and those that may not be smaller', () => {
  expect(isMet(rowOf('a', 'first story', ms(333), target('<', 500, 'ms')))).toBe(true);
  expect(isMet(rowOf('a', 'first story', ms(533), target('<', 500, 'ms')))).toBe(false);
  expect(isMet(rowOf('a', 'events', '97,000', target('≥', 20_000)))).toBe(true);
  expect(isMet(rowOf('a', 'events', '9,700', target('≥', 20_000)))).toBe(false);
});

it('says nothing about a target where nothing was measured', () => {
  const row = rowOf('client-hooks', 'added to a call', 'not measured', 'there is no client here');
  expect(row).toMatchObject({ value: null, remark: 'there is no client here' });
  expect(isMet(row)).toBeNull();
  expect(line(row)).not.toMatch(/met|MISSED/);
});
