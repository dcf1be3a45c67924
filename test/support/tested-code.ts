/** A few lines of code and their tests, for node's own test runner: nothing has to be installed. */
export const TESTED_CODE: Readonly<Record<string, string>> = {
  'package.json': `${JSON.stringify({ name: 'cart', type: 'module', scripts: { test: 'node --test' } }, null, 2)}\n`,
  'cart.js': `export function total(prices) {
  return prices.reduce((sum, price) => sum + price, 0);
}

export function cheapest(prices) {
  return Math.min(...prices);
}
`,
  'cart.test.js': `import assert from 'node:assert/strict';
import test from 'node:test';
import { cheapest, total } from './cart.js';

test('the total is the sum of the prices', () => {
  assert.equal(total([1, 2, 3]), 6);
  assert.equal(total([]), 0);
});

test('the cheapest price is found', () => {
  assert.equal(cheapest([3, 1, 2]), 1);
});
`,
};

/** The action after which one of the two tests fails. */
export const BREAK_THE_CODE = { edit: { path: 'cart.js', replace: 'sum + price', with: 'sum - price' } };
