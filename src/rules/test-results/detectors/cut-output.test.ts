import { expect, it } from 'vitest';
import type { TestOutcome } from '../api.ts';
import { cleanOutput } from '../clean.ts';
import { merge } from './finding.ts';
import { detect } from './registry.ts';

/** What `head` and `tail` leave of a failed run, without its summary. */
const LEFT: readonly (readonly [framework: string, output: string, outcome?: TestOutcome | undefined])[] = [
  ['pytest', '=================== FAILURES ===================\n____ test_sum ____\n'],
  ['pytest', 'tests/test_sum.py ..F.s    [ 40%]\n'],
  ['pytest', '..F..                      [100%]\n'],
  ['pytest', 'tests/test_sum.py::test_a FAILED  [ 50%]\n'],
  ['pytest', '==================== ERRORS ====================\n', 'error'],
  ['rspec', 'Failures:\n\n  1) Cart sums up\n     Failure/Error: expect(1).to eq 2\n'],
  ['rspec', 'rspec ./spec/cart_spec.rb:12 # Cart sums up\n'],
  ['rspec', "rspec './spec/cart_spec.rb[1:2:1]' # Cart sums up\n"],
  ['minitest', '  1) Failure:\nCartTest#test_sum [test/cart_test.rb:9]:\nExpected: 1\n'],
  ['jasmine', 'Failures:\n1) Cart sums up\n  Message:\n'],
  ['cucumber', 'Failures:\n\n1) Scenario: pays # features/pay.feature:3\n'],
  ['cucumber', 'Failing Scenarios:\ncucumber features/pay.feature:3 # Scenario: pays\n'],
  ['phpunit', 'There were 2 failures:\n\n1) CartTest::testSum\n'],
  ['phpunit', '.F.E                                     4 / 4 (100%)\n'],
  ['prove', 't/cart.t .. \nDubious, test returned 1 (wstat 256, 0x100)\nFailed 1/4 subtests \n'],
  ['prove', 'Test Summary Report\n-------------------\nt/cart.t (Wstat: 256 (exited 1) Tests: 4 Failed: 1)\n'],
  ['go', 'FAIL\n'],
  ['mocha', '      at Context.<anonymous> (test/till.js:4:9)\n      at process.processImmediate (node:internal:1:1)\n'],
  ['vitest', ' ❯ src/till.test.ts:4:9\n⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯[1/2]⎯\n'],
  ['maven', 'sums(till.CartTest)  Time elapsed: 0 s  <<< FAILURE!\n'],
  ['junit-xml', 'at till.js:3</failure></testcase>\n</testsuite>\n'],
  ['jest', '● Unrecognized CLI Parameter:\n\n  Unrecognized option "fast".\n', 'error'],
  ['gtest', '[  FAILED  ] Till.Sums (0 ms)\n[  PASSED  ] 2 tests.\n'],
  ['deno', 'sums ... ok (1ms)\nrounds ... FAILED (3ms)\n'],
  ['gtest', '[ RUN      ] Till.Sums\n[  FAILED  ] Till.Sums (0 ms)\n'],
  ['python-doctest', '2 items had failures:\n   1 of   3 in cart.sum\n'],
  [
    'maven',
    '[ERROR] Failed to execute goal org.apache.maven.plugins:maven-compiler-plugin:3.11.0:testCompile (default-testCompile) on project till: Compilation failure\n',
    'error',
  ],
];

it.each(LEFT)('what is left of a failed run of %s: %j', (...row) => {
  const [framework, output, outcome = 'fail'] = row as unknown as (typeof LEFT)[number];
  const told = detect(cleanOutput(output, ''), new Set([framework])).filter(({ strength }) => strength !== 'hint');
  expect(merge(told, 1)).toMatchObject({ framework, outcome });
});

it.each([
  ['pytest', 'tests/test_sum.py ..s.x   [ 40%]\n'],
  [
    'rspec',
    "Pending: (Failures listed here are expected and do not affect your suite's status)\n\n  1) Cart waits\n     Failure/Error: expect(1).to eq 2\n",
  ],
  ['phpunit', 'There was 1 risky test:\n\n1) CartTest::testSum\n'],
  ['prove', 'Test Summary Report\n-------------------\nt/cart.t (Wstat: 0 Tests: 4 Failed: 0)\n  TODO passed:   2\n'],
  ['bun', 'not ok 1 - what a test printed\n(pass) sums [0.1ms]\n'],
  ['go', 'FAIL\nok  \tex.com/till\t0.01s\n'],
])('what a good run of %s leaves is no failure: %j', (framework, output) => {
  const found = detect(cleanOutput(output, ''), new Set([framework]));
  expect(found.filter(({ outcome }) => outcome === 'fail' || outcome === 'error')).toEqual([]);
});
