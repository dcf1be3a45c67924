import assert from 'node:assert/strict';
import test from 'node:test';
import { cheapest } from '../src/cheapest.js';

test('the lowest of several prices', () => {
  assert.equal(cheapest([300, 100, 200]), 100);
});

test('no prices, no lowest one', () => {
  assert.equal(cheapest([]), null);
});
