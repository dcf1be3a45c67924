import { expect, test } from 'vitest';
import { foldRun } from '../../src/rules/view/fold.ts';
import { callsByHour, costs, stacked } from './series.ts';

test('a run without iterations has charts without numbers', () => {
  const view = foldRun('20260101-000000-aaaa').view();
  expect(costs(view).labels).toEqual([]);
  expect(callsByHour(view).labels).toEqual([]);
});

test('the parts of a stack stand on each other, and what nobody told counts nothing', () => {
  const part = (values: readonly (number | null)[]) => ({ name: 'n', colour: '--x', values });
  expect(stacked([part([1, 2]), part([10, null])])).toEqual([
    [1, 2],
    [11, 2],
  ]);
});
