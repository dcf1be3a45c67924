import assert from 'node:assert/strict';
import test from 'node:test';
import { line } from '../src/cart.js';

test('a line counts one unless told otherwise', () => {
  assert.deepEqual(line('tea', 250), { name: 'tea', cents: 250, count: 1 });
});
