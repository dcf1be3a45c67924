import { expect, test } from 'vitest';
import { foldRun } from '../../src/rules/view/index.ts';
import { dollars, tokens } from '../text.ts';
import { callsByHour, costs, dollarTick, stacked, tokenTick } from './series.ts';

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

test('ticks have as many decimals as their step needs', () => {
  expect([0.025, 0.05, 0.075].map((value) => dollarTick(value, 0.025))).toEqual(['$0.025', '$0.050', '$0.075']);
  expect([0.5, 1].map((value) => dollarTick(value, 0.5))).toEqual(['$0.50', '$1.00']);
  expect([0, 2].map((value) => dollarTick(value, 2))).toEqual(['$0', '$2']);
  expect([1000, 1250, 1500].map((value) => tokenTick(value, 250))).toEqual(['1.00k', '1.25k', '1.50k']);
  expect([0, 500, 2_500_000].map((value) => tokenTick(value, 500_000))).toEqual(['0', '500', '2.5M']);
});

test('numbers that nothing costs are not shown', () => {
  expect([1e308, Number.POSITIVE_INFINITY, Number.NaN].map(dollars)).toEqual(['–', '–', '–']);
  expect([1e308, Number.NaN].map(tokens)).toEqual(['–', '–']);
  expect([dollars(null), dollars(1.5), tokens(1500)]).toEqual(['-', '$1.50', '1.5k']);
});
