import { expect, test } from 'vitest';
import { failureLines } from './failure-lines.ts';

const TAP = `TAP version 13
ok 1 - Error: is the name of a test that passes
  ---
  duration_ms: 1.2
  ...
not ok 2 - sums up an empty cart
  ---
  duration_ms: 0.9
  location: '/project/test/cart.test.js:7:1'
  failureType: 'testCodeFailure'
  error: |-
    Expected values to be strictly equal:

    1 !== 0
  code: 'ERR_ASSERTION'
  ...
1..2
# tests 2
# suites 0
# pass 1
# fail 1
# cancelled 0
# skipped 0
# todo 0
# duration_ms 52.1`;

test('of TAP the failing test and its message, not the sums at the end', () => {
  expect(failureLines(TAP.split('\n'), 8)).toEqual([
    'not ok 2 - sums up an empty cart',
    "  location: '/project/test/cart.test.js:7:1'",
    '  error: |-',
    '    Expected values to be strictly equal:',
    '    1 !== 0',
    '1..2',
    '# tests 2',
    '# suites 0',
  ]);
});

test('a message at a distance from the name stands below it', () => {
  const names = Array.from({ length: 20 }, (_, at) => `   ✓ passes ${at}`);
  const output = [
    '   × adds 5ms',
    ...names,
    'AssertionError: expected 1 to be 2',
    '  at cart.test.ts:3',
    'Tests 1 failed',
  ];
  expect(failureLines(output, 8)).toEqual([
    '   × adds 5ms',
    '   ✓ passes 0',
    '   ✓ passes 1',
    '…',
    'AssertionError: expected 1 to be 2',
    '  at cart.test.ts:3',
    'Tests 1 failed',
  ]);
});

test.each([
  [
    'go',
    ['=== RUN TestSum', '--- FAIL: TestSum (0.00s)', '    sum_test.go:7: got 1, want 2', ...filler()],
    'TestSum (0.00s)',
  ],
  [
    'cargo',
    ['running 2 tests', 'test sum ... FAILED', 'thread main panicked at src/lib.rs:3', ...filler()],
    'test sum ... FAILED',
  ],
  ['tsc', ["src/a.ts(3,1): error TS2304: Cannot find name 'x'.", ...filler()], 'TS2304'],
  ['eslint', ['/project/a.js', '  3:1  error  x is not defined  no-undef', ...filler()], '3:1  error'],
  ['pytest', ['def test_sum():', '>   assert 1 == 2', 'E   assert 1 == 2', ...filler()], 'E   assert 1 == 2'],
  [
    'python',
    ['Traceback (most recent call last):', '  File "a.py"', 'ValueError: no number', ...filler()],
    'ValueError',
  ],
  ['node', ['/project/a.js:1', 'throw new TypeError("boo")', 'TypeError: boo', ...filler()], 'TypeError: boo'],
])('%s: the first failure is among the lines', (_, output, wanted) => {
  const lines = failureLines(output, 8);
  expect(lines.length).toBeLessThanOrEqual(8);
  expect(lines.join('\n')).toContain(wanted);
});

test('without a failure that is known: the last lines', () => {
  const output = Array.from({ length: 20 }, (_, at) => `line ${at}`);
  expect(failureLines(output, 8)).toEqual(output.slice(-8));
  expect(failureLines([], 8)).toEqual([]);
});

function filler(): readonly string[] {
  return Array.from({ length: 15 }, (_, at) => `later ${at}`);
}
