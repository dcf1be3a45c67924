import { detectorsOf } from './summary-line.ts';

/** C, C++ and what is built like them. */
export const native = detectorsOf([
  {
    framework: 'ctest',
    hint: ' tests failed out of ',
    line: /^\d+% tests passed, (?<failed>\d+) tests? failed out of (?<total>\d+)$/,
  },
  { framework: 'ctest', hint: 'No tests were found', line: /^No tests were found!!!$/, outcome: 'no-tests' },
  { framework: 'ctest', hint: 'The following tests FAILED', line: /^The following tests FAILED:$/, outcome: 'fail' },
  { framework: 'ctest', hint: 'Errors while running CTest', line: /^Errors while running CTest$/, outcome: 'fail' },
  { framework: 'ctest', hint: '***', line: /^ *\d+\/\d+ Test +#\d+: .*\*\*\*/, outcome: 'fail', strength: 'detail' },
  {
    framework: 'ctest',
    hint: 'Test',
    line: /^ *\d+\/\d+ Test +#\d+: .* Passed +[\d.]+ sec$/,
    outcome: 'pass',
    strength: 'detail',
  },
  {
    framework: 'catch2',
    hint: 'All tests passed (',
    line: /^All tests passed \(\d+ assertions? in (?<passed>\d+) test cases?\)$/,
  },
  {
    framework: 'catch2',
    hint: 'test cases: ',
    line: /^test cases: +(?<total>\d+) \|(?: +(?<passed>\d+) passed)?(?: ?\|? +(?<failed>\d+) failed)?/,
  },
  // The reporter `compact`; small totals are `all 3`, `both`, or the number alone.
  {
    framework: 'catch2',
    hint: 'Failed ',
    line: /^Failed (?:all |both )?(?:\d+ )?test cases?, failed (?:all |both )?(?:\d+ )?assertions?\.$/,
    outcome: 'fail',
  },
  {
    framework: 'catch2',
    hint: 'Passed ',
    line: /^Passed (?:all |both )?(?:\d+ )?test cases?(?: with (?:\d+ )?assertions?)?\.$/,
    outcome: 'pass',
  },
  { framework: 'catch2', hint: 'No test', line: /^No test(?:s ran| cases matched .*)$/, outcome: 'no-tests' },
  {
    framework: 'doctest',
    hint: '[doctest] test cases: ',
    line: /^\[doctest\] test cases: +\d+ \| +(?<passed>\d+) passed \| +(?<failed>\d+) failed/,
  },
  { framework: 'boost', hint: 'No errors detected', line: /^\*\*\* No errors detected$/, outcome: 'pass' },
  {
    framework: 'boost',
    hint: 'detected in the test',
    line: /^\*\*\* (?<failed>\d+) failures? (?:is|are) detected(?: \(\d+ failures? (?:is|are) expected\))? in the test (?:module|suite) /,
  },
  {
    framework: 'check',
    hint: '%: Checks: ',
    line: /^\d+%: Checks: (?<total>\d+), Failures: (?<failed>\d+), Errors: (?<failed2>\d+)$/,
  },
  {
    framework: 'criterion',
    hint: 'Synthesis: ',
    line: /^\[=+\] Synthesis: Tested: \d+ \| Passing: (?<passed>\d+) \| Failing: (?<failed>\d+) \| Crashing: (?<failed2>\d+)/,
  },
  {
    framework: 'unity',
    hint: ' Tests ',
    line: /^(?<total>\d+) Tests (?<failed>\d+) Failures (?<skipped>\d+) Ignored ?$/,
  },
  {
    framework: 'qttest',
    hint: 'Totals: ',
    line: /^Totals: (?<passed>\d+) passed, (?<failed>\d+) failed, \d+ skipped/,
  },
  {
    framework: 'meson',
    hint: 'Fail: ',
    line: /^Fail: +(?<failed>\d+)$/,
    take: 'last',
  },
  { framework: 'meson', hint: 'Timeout: ', line: /^Timeout: +(?<failed>[1-9]\d*)$/, take: 'last' },
  { framework: 'meson', hint: 'Unexpected Pass: ', line: /^Unexpected Pass: +(?<failed>[1-9]\d*)$/, take: 'last' },
  { framework: 'meson', hint: 'Ok: ', line: /^Ok: +(?<passed>\d+)$/, take: 'last' },
  { framework: 'automake', hint: '# PASS: ', line: /^# PASS: +(?<passed>\d+)$/ },
  { framework: 'automake', hint: '# FAIL: ', line: /^# FAIL: +(?<failed>\d+)$/ },
  { framework: 'automake', hint: '# ERROR: ', line: /^# ERROR: +(?<errors>\d+)$/ },
  {
    framework: 'bazel',
    hint: 'Executed ',
    line: /^Executed \d+ out of \d+ tests?: (?:(?<passed>\d+) tests? pass(?:es)?)?.*?(?:(?<failed>\d+) fails? (?:locally|remotely))?\.$/,
  },
  {
    framework: 'swift',
    hint: 'Executed ',
    line: /^\s*Executed (?<total>\d+) tests?, with (?:(?<skipped>\d+) tests? skipped and )?(?<failed>\d+) failures? \(\d+ unexpected\) in /,
    take: 'last',
  },
  {
    framework: 'swift',
    hint: 'Test run with ',
    line: /Test run with (?<total>\d+) tests?(?: in \d+ suites?)? passed after /,
    take: 'last',
  },
  {
    framework: 'swift',
    hint: 'Test run with ',
    line: /Test run with \d+ tests?.* failed after .* with \d+ issues?/,
    outcome: 'fail',
  },
  { framework: 'swift', hint: '** TEST ', line: /^\*\* TEST FAILED \*\*$/, outcome: 'fail' },
  { framework: 'swift', hint: '** TEST ', line: /^\*\* TEST SUCCEEDED \*\*$/, outcome: 'pass' },
  { framework: 'zig', hint: ' tests passed.', line: /^All (?<passed>\d+) tests passed\.$/ },
  {
    framework: 'zig',
    hint: 'Build Summary: ',
    line: /^Build Summary: .*; (?<passed>\d+)\/\d+ tests passed(?:; \d+ skipped)?(?:; (?<failed>\d+) failed)?/,
  },
  { framework: 'zig', hint: ' skipped; ', line: /^(?<passed>\d+) passed; \d+ skipped; (?<failed>\d+) failed\.$/ },
]);
