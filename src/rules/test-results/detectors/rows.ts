import { type Count, countsOf, type Detector, type Finding, firstOf, type Statement } from './finding.ts';

/** A pattern alone is a line with counts. */
type Row = RegExp | Statement | Count;

/** Frameworks with a one-line result, and the forms in which each marks one failed test. */
const TABLE: Readonly<Record<string, readonly Row[]>> = {
  // JavaScript
  jasmine: [
    /^(?<total>\d+) specs?, (?<failed>\d+) failures?(?:, (?<skipped>\d+) pending specs?)?$/,
    { line: /^Failures:$/, next: /^1\) \S/, outcome: 'fail', strength: 'detail' },
    [/^(?:Incomplete: )?No specs found/, 'no-tests'],
  ],
  karma: [
    {
      line: /Executed (?<total>\d+) of \d+ (?:\((?:(?<failed>\d+) FAILED)?\)? ?)?(?:\(?skipped (?<skipped>\d+)\)? ?)?(?:SUCCESS )?\(/,
      last: true,
    },
    /^TOTAL: (?<failed>\d+) FAILED, (?<passed>\d+) SUCCESS$/,
  ],
  deno: [
    /^(?:ok|FAILED) \| (?<passed>\d+) passed(?: \(\d+ steps?\))? \| (?<failed>\d+) failed(?: \(\d+ steps?\))?(?: \|.*)? ?\(.*\)$/,
    [/^error: No test modules found$/, 'no-tests'],
    [/^\S+ \(uncaught error\)$/, 'error'],
    [/^error: Test failed$/, 'fail', 'detail'],
    [
      /^error: (?:Module not found|Type checking failed|SyntaxError|Import|Relative import|The module's source code)/,
      'error',
    ],
    [/^\S.* \.\.\. FAILED (?:\(due to .*\) )?\([\d.]+m?s\)$/, 'fail', 'detail'],
  ],
  ava: [
    /^ {2}(?<failed>\d+) tests? failed$/,
    /^ {2}(?<passed>\d+) tests? passed$/,
    /^ {2}(?<errors>\d+) hooks? failed$/,
    /^ {2}(?<errors>\d+) uncaught exceptions?$/,
    /^ {2}(?<errors>\d+) unhandled rejections?$/,
    [/^(?: {2})?✘ \[fail\]: /, 'fail', 'detail'],
    [/^ {2}✘ Couldn’t find any (?:files to test|matching tests)/, 'no-tests'],
    [/^ {2}✘ No tests found in /, 'error'],
    [/^ {2}✘ Timed out while running tests/, 'error'],
    [/^ {2}\d+ tests? (?:skipped|todo)$/, 'no-tests'],
  ],
  cucumber: [
    /^\d+ scenarios? \((?:(?<failed>\d+) failed)?(?:(?:, )?\d+ ambiguous(?=, \d+ undefined))?(?:(?:, )?(?<failed2>\d+) (?:undefined|ambiguous))?(?:(?:, )?(?<errors>\d+) pending)?(?:(?:, )?(?<skipped>\d+) skipped)?(?:(?:, )?(?<passed>\d+) passed)?\)$/,
    { line: /^Failures:$/, next: /^1\) Scenario: /, outcome: 'fail', strength: 'detail' },
    [/^Failing Scenarios:$/, 'fail', 'detail'],
    [/^0 scenarios$/, 'no-tests'],
  ],
  trial: [
    /^PASSED \((?:.*, )?successes=(?<passed>\d+)\)$/,
    [/^PASSED \((?!.*successes=)/, 'no-tests'],
    /^FAILED \((?=(?:.*\bfailures=(?<failed>\d+))?)(?=(?:.*\berrors=(?<failed2>\d+))?)(?=(?:.*\bsuccesses=(?<passed>\d+))?)/,
  ],
  poku: [/^ ?PASS › (?<passed>\d+) +FAIL › (?<failed>\d+)/],
  lab: [
    /^(?<passed>\d+) tests complete$/,
    /^(?<failed>\d+) of (?<total>\d+) tests failed$/,
    [/^Error requiring file: /, 'error'],
    [/^The following leaks were detected:/, 'error'],
  ],
  cypress: [
    /^ {2,4}✖ {2}(?<failed>\d+) of \d+ failed \(\d+%\)/,
    [/^ {2,4}✔ {2}All specs passed!/, 'pass'],
    [/^Can't run because /, 'error'],
    [/^(?:Cypress executable not found at:|The cypress npm executable|No version of Cypress is installed)/, 'error'],
  ],
  uvu: [
    { line: /^ {2}Total: {3,5}(?<total>\d+)$/, next: /^ {2}Passed: {3,5}(?<passed>\d+)$/ },
    { line: /^ {2}Total: {3,5}\d+$/, outcome: 'pass', strength: 'hint' },
  ],
  tap: [/^Asserts: +(?:(?<failed>\d+) failed, )?(?<passed>\d+) passed,.* of \d+$/],
  testcafe: [
    { line: /^ {1,2}(?<passed>\d+) passed \([\dms ]+\)$/, strength: 'hint' },
    /^ {1,2}(?<failed>\d+)\/(?<total>\d+) failed \([\dms ]+\)$/,
  ],
  webdriverio: [/^Spec Files:\t ?(?:(?<passed>\d+) passed)?(?:, )?(?:(?<failed>\d+) failed)?.* total /],
  bun: [[/^✗ \S.* \[[\d.]+m?s\]$/, 'fail', 'detail']],

  // JVM and .NET
  junit: [
    // The console launcher
    { line: /^\[ +(?<failed>\d+) tests failed +\]$/, last: true },
    { line: /^\[ +(?<errors>[1-9]\d*) containers failed +\]$/, last: true },
    { line: /^\[ +(?<passed>\d+) tests successful +\]$/, last: true },
    /^OK \((?<passed>\d+) tests?\)$/,
    /^Tests run: (?<total>\d+), {1,2}Failures: (?<failed>\d+)$/,
  ],
  maven: [
    /^(?:\[(?:INFO|ERROR|WARNING)\] )?Tests run: (?<total>\d+), Failures: (?<failed>\d+), Errors: (?<failed2>\d+), Skipped: (?<skipped>\d+)$/,
    [/^\[ERROR\] COMPILATION ERROR/, 'error'],
    [/^\[ERROR\] Failed to execute goal .*:(?:testCompile|compile|test-compile) .*Compilation failure/, 'error'],
    [/<<< (?:FAILURE|ERROR)!$/, 'fail', 'detail'],
    [/^\[ERROR\] \[Help 1\] \S+\/MojoFailureException$/, 'fail', 'hint'],
    [/There are test failures\.$/, 'fail'],
    [/^\[INFO\] No tests to run\.$/, 'no-tests'],
    [/^\[ERROR\] .*Could not (?:resolve|find|transfer) /, 'error'],
    [/^\[ERROR\] {3}[A-Z]\w*(?:\.\w+)+:\d+ /, 'fail', 'detail'],
  ],
  gradle: [
    /^(?<total>\d+) tests? completed(?:, (?<failed>\d+) failed)?(?:, (?<skipped>\d+) skipped)?$/,
    [/^(?:\* What went wrong:)?Execution failed for task ':(?:[\w-]+:)*compile\w*'/, 'error'],
    [/^> There were failing tests\./, 'fail'],
    [/^> Task :\S*[tT]est\S* FAILED$/, 'fail', 'detail'],
    [/^BUILD SUCCESSFUL in /, 'pass', 'hint'],
    [/^[A-Z]\w+ > \S.* FAILED$/, 'fail', 'detail'],
  ],
  sbt: [
    /^\[(?:info|error)\] (?:Passed|Failed|Error): Total (?<total>\d+), Failed (?<failed>\d+), Errors (?<failed2>\d+), Passed (?<passed>\d+)/,
  ],
  scalatest: [
    /^(?:\[info\] )?Tests: succeeded (?<passed>\d+), failed (?<failed>\d+), canceled \d+, ignored \d+, pending \d+$/,
  ],
  testng: [
    /^Total tests run: (?<total>\d+), Passes: (?<passed>\d+), Failures: (?<failed>\d+), Skips: (?<skipped>\d+)$/,
  ],
  dotnet: [[/^ {2}Failed \S.* \[(?:< )?[\d.]+ m?s\]$/, 'fail', 'detail']],

  // C, C++ and similar frameworks
  ctest: [
    /^\d+% tests passed, (?<failed>\d+) tests? failed out of (?<total>\d+)$/,
    [/^No tests were found!!!$/, 'no-tests'],
    [/^The following tests FAILED:$/, 'fail'],
    [/^Errors while running CTest$/, 'fail'],
    [/^ *\d+\/\d+ Test +#\d+: .*\*\*\*/, 'fail', 'detail'],
    [/^ *\d+\/\d+ Test +#\d+: .* Passed +[\d.]+ sec$/, 'pass', 'detail'],
  ],
  catch2: [
    /^All tests passed \(\d+ assertions? in (?<passed>\d+) test cases?\)$/,
    /^test cases: +(?<total>\d+) \|(?: +(?<passed>\d+) passed)?(?: ?\|? +(?<failed>\d+) failed)?/,
    // The reporter `compact`; small totals are `all 3`, `both`, or just the number.
    [/^Failed (?:all |both )?(?:\d+ )?test cases?, failed (?:all |both )?(?:\d+ )?assertions?\.$/, 'fail'],
    [/^Passed (?:all |both )?(?:\d+ )?test cases?(?: with (?:\d+ )?assertions?)?\.$/, 'pass'],
    [/^No test(?:s ran| cases matched .*)$/, 'no-tests'],
  ],
  doctest: [/^\[doctest\] test cases: +\d+ \| +(?<passed>\d+) passed \| +(?<failed>\d+) failed/],
  boost: [
    [/^\*\*\* No errors detected$/, 'pass'],
    /^\*\*\* (?<failed>\d+) failures? (?:is|are) detected(?: \(\d+ failures? (?:is|are) expected\))? in the test (?:module|suite) /,
  ],
  check: [/^\d+%: Checks: (?<total>\d+), Failures: (?<failed>\d+), Errors: (?<failed2>\d+)$/],
  criterion: [
    /^\[=+\] Synthesis: Tested: \d+ \| Passing: (?<passed>\d+) \| Failing: (?<failed>\d+) \| Crashing: (?<failed2>\d+)/,
  ],
  unity: [/^(?<total>\d+) Tests (?<failed>\d+) Failures (?<skipped>\d+) Ignored ?$/],
  qttest: [/^Totals: (?<passed>\d+) passed, (?<failed>\d+) failed, \d+ skipped/],
  meson: [
    { line: /^Fail: +(?<failed>\d+)$/, last: true },
    { line: /^Timeout: +(?<failed>[1-9]\d*)$/, last: true },
    { line: /^Unexpected Pass: +(?<failed>[1-9]\d*)$/, last: true },
    { line: /^Ok: +(?<passed>\d+)$/, last: true },
  ],
  automake: [/^# PASS: +(?<passed>\d+)$/, /^# FAIL: +(?<failed>\d+)$/, /^# ERROR: +(?<errors>\d+)$/],
  bazel: [
    /^Executed \d+ out of \d+ tests?: (?:(?<passed>\d+) tests? pass(?:es)?)?.*?(?:(?<failed>\d+) fails? (?:locally|remotely))?\.$/,
  ],
  swift: [
    {
      line: /^\s*Executed (?<total>\d+) tests?, with (?:(?<skipped>\d+) tests? skipped and )?(?<failed>\d+) failures? \(\d+ unexpected\) in /,
      last: true,
    },
    { line: /Test run with (?<total>\d+) tests?(?: in \d+ suites?)? passed after /, last: true },
    [/Test run with \d+ tests?.* failed after .* with \d+ issues?/, 'fail'],
    [/^\*\* TEST FAILED \*\*$/, 'fail'],
    [/^\*\* TEST SUCCEEDED \*\*$/, 'pass'],
    [/^Test Case '.+' failed \([\d.]+ seconds\)\.?$/, 'fail', 'detail'],
    [/^✘ Test .* failed after [\d.]+ seconds with \d+ issues?\.$/, 'fail', 'detail'],
  ],
  zig: [
    /^All (?<passed>\d+) tests passed\.$/,
    /^Build Summary: .*; (?<passed>\d+)\/\d+ tests passed(?:; \d+ skipped)?(?:; (?<failed>\d+) failed)?/,
    /^(?<passed>\d+) passed; \d+ skipped; (?<failed>\d+) failed\.$/,
  ],

  // Ruby, Perl, Elixir, Lua and others
  rspec: [
    /^(?<total>\d+) examples?, (?<failed>\d+) failures?(?:, (?<skipped>\d+) pending)?(?:, (?<errors>\d+) errors? occurred outside of examples)?$/,
    { line: /^Failures:$/, next: /^ {2}1\) /, outcome: 'fail', strength: 'detail' },
    [/^\s*\S.* \(FAILED - \d+\)$/, 'fail', 'detail'],
    [/^Failed examples:$/, 'fail', 'detail'],
    [/^rspec (?:'|\.\/)\S.*(?::\d+|\[[\d:]+\])'? # \S/, 'fail', 'detail'],
  ],
  minitest: [
    {
      line: /^ {2}1\) (?:Failure|Error):$/,
      next: /^\w\S*#test_.*(?::| \[.*\]:)$/,
      outcome: 'fail',
      strength: 'detail',
    },
    /^(?<total>\d+) runs, \d+ assertions, (?<failed>\d+) failures, (?<failed2>\d+) errors, (?<skipped>\d+) skips$/,
    [/^[A-Z][\w:]*#test_.* = [\d.]+ s = [FE]$/, 'fail', 'detail'],
  ],
  'test-unit': [
    /^(?<total>\d+) tests, \d+ assertions, (?<failed>\d+) failures, (?<failed2>\d+) errors, (?:(?<skipped>\d+) pendings(?:, (?<skipped2>\d+) omissions)?|(?:\d+) skips)/,
  ],
  bats: [
    /^(?<total>\d+) tests?, (?<failed>\d+) failures?(?:, (?<skipped>\d+) skipped)?(?: in [\d.]+ seconds)?$/,
    [/^Error: Test file ".*" does not exist$/, 'error'],
    { line: /^ ✗ \S/, next: /^ {3}\(in test file .*, line \d+\)$/, outcome: 'fail', strength: 'detail' },
  ],
  prove: [
    /^Failed \d+\/\d+ test programs?\. (?<failed>\d+)\/(?<total>\d+) subtests failed\.$/,
    [/^Result: PASS$/, 'pass'],
    [/^Result: FAIL$/, 'fail'],
    [/^\S.* \(Wstat: (?:[1-9]\d* |0 Tests: \d+ Failed: [1-9])/, 'fail', 'detail'],
    [/^Dubious, test returned [1-9]\d* \(wstat /, 'fail', 'detail'],
    [/^Failed \d+\/\d+ subtests ?$/, 'fail', 'detail'],
    [/^Result: NOTESTS$/, 'no-tests'],
    [/^(?:FAILED--Further testing stopped|Bailout called\.)/, 'error'],
    { line: /^# {3}Failed test\b/, next: /^# {3}at \S+ line \d+\.$/, outcome: 'fail', strength: 'detail' },
  ],
  busted: [
    // Only errors: none of the found files could be loaded.
    /^0 successes \/ 0 failures \/ (?<errors>\d+) errors? \/ \d+ pending : [\d.]+ seconds$/,
    /^(?!0 successes \/ 0 failures)(?<passed>\d+) successes? \/ (?<failed>\d+) failures? \/ (?<failed2>\d+) errors? \/ \d+ pending : [\d.]+ seconds$/,
    [/^(?:Failure|Error) -> \S+ @ \d+$/, 'fail', 'detail'],
    /^(?<passed>1) success \/ (?<failed>\d+) failures? \/ (?<failed2>\d+) errors? \/ \d+ pending : [\d.]+ seconds$/,
  ],
  exunit: [
    /^(?:\d+ (?:doctests?|properties|property), )*(?<total>\d+) tests?, (?<failed>\d+) failures?(?:, (?<skipped2>\d+) excluded)?(?:, (?<errors>\d+) invalid)?(?:, (?<skipped>\d+) skipped)?$/,
    [/^\*\* \((?:CompileError|SyntaxError|TokenMissingError|Mix)\) /, 'error'],
    [/^== Compilation error in file /, 'error'],
    [/^ {2}\d+\) test .* \([A-Z][\w.]*\)$/, 'fail', 'detail'],
  ],
  behave: [
    /^(?<passed>\d+) scenarios? passed, (?<failed>\d+) failed(?:, (?<errors>\d+) error(?:s)?)?, (?<skipped>\d+) skipped(?:, \d+ \w+)*$/,
  ],
  robot: [{ line: /^(?<total>\d+) tests?, (?<passed>\d+) passed, (?<failed>\d+) failed$/, last: true }],
  dart: [
    /^\d+:\d\d \+(?<passed>\d+)(?: ~\d+)?: All tests passed!$/,
    /^\d+:\d\d \+(?<passed>\d+)(?: ~\d+)? -(?<failed>\d+): Some tests failed\.$/,
    [/^No tests (?:ran|were found|match )/, 'no-tests'],
  ],
  testthat: [{ line: /^\[ FAIL (?<failed>\d+) \| WARN \d+ \| SKIP \d+ \| PASS (?<passed>\d+) \]$/, last: true }],
  julia: [
    /Some tests did not pass: (?<passed>\d+) passed, (?<failed>\d+) failed, (?<failed2>\d+) errored, \d+ broken/,
    [/^ {4,}Testing \S+ tests passed ?$/, 'pass'],
    [/^Test Summary: +\|.*\bFail\b/, 'fail'],
    [/^Test Summary: +\| +Pass +Total/, 'pass'],
  ],
  clojure: [
    /^(?<failed>\d+) failures, (?<failed2>\d+) errors\.$/,
    /^Ran (?<total>\d+) tests containing \d+ assertions\.$/,
  ],
  kaocha: [/^(?<total>\d+) tests?, \d+ assertions?, (?:(?<errors>\d+) errors?, )?(?<failed>\d+) failures?\.$/],
  cabal: [/^\d+ of \d+ test suites \((?<passed>\d+) of (?<total>\d+) test cases\) passed\.$/],
  hunit: [
    { line: /^Cases: \d+ {2}Tried: (?<total>\d+) {2}Errors: (?<failed2>\d+) {2}Failures: (?<failed>\d+)$/, last: true },
  ],
  tasty: [/^(?<failed>\d+) out of (?<total>\d+) tests failed \(/, /^All (?<passed>\d+) tests passed \(/],
  eunit: [/^ {2}Failed: (?<failed>\d+)\. {2}Skipped: \d+\. {2}Passed: (?<passed>\d+)\.$/],
  alcotest: [
    /^Test Successful in [\d.]+s\. (?<passed>\d+) tests? run\.$/,
    /^(?<failed>\d+) failures?! in [\d.]+s\. (?<total>\d+) tests? run\.$/,
  ],
  elm: [
    [/^TEST RUN PASSED$/, 'pass'],
    [/^TEST RUN FAILED$/, 'fail'],
  ],
  crystal: [/^(?<total>\d+) examples, (?<failed>\d+) failures, (?<failed2>\d+) errors, (?<skipped>\d+) pending$/],
  gleam: [
    /^Ran (?<total>\d+) tests, (?<failed>\d+) failures$/,
    /^(?<passed>\d+) (?:tests?, no failures|passed, no failures)$/,
  ],
  tcltest: [/^\S+:\tTotal\t(?<total>\d+)\tPassed\t(?<passed>\d+)\tSkipped\t\d+\tFailed\t(?<failed>\d+)$/],
  gotestsum: [
    /^DONE (?<total>\d+) tests?(?:, (?<skipped>\d+) skipped)?(?:, (?<failed>\d+) failures?)?(?:, (?<errors>\d+) errors?)? in [\d.]+s$/,
  ],
  ert: [
    /^Ran (?<total>\d+) tests?, (?<passed>\d+) results as expected(?:, (?<failed>\d+) unexpected)?(?:, (?<skipped>\d+) skipped)? \(/,
  ],
  vows: [
    /^ *[✓✗] (?:OK|Broken|Errored) » (?:(?<passed>\d+) honored)?(?: ∙ )?(?:(?<failed>\d+) broken)?(?: ∙ )?(?:(?<errors>\d+) errored)?/,
  ],
  pester: [/^Tests Passed: (?<passed>\d+), Failed: (?<failed>\d+), Skipped: \d+/],
  shunit2: [
    { line: /^Ran (?<total>\d+) tests?\.$/, next: /^FAILED \(failures=(?<failed>\d+)(?:, ?skipped=\d+)?\)$/ },
    { line: /^Ran (?<total>\d+) tests?\.$/, next: /^OK(?: \(skipped=(?<skipped>\d+)\))?$/ },
    { line: /^FAILED \(failures=(?<failed>\d+)\)$/, strength: 'hint' },
  ],
  'python-doctest': [
    /^\*{3}Test Failed\*{3} (?<failed>\d+) failures?\b/,
    { line: /^\d+ items? had failures:$/, next: /^ +\d+ of +\d+ in \S/, outcome: 'fail', strength: 'detail' },
  ],
  pest: [/^ {2}Tests: {2,4}(?=\d)(?=(?:.*?(?<failed>\d+) failed\b)?)(?=(?:.*?(?<passed>\d+) passed\b)?).*$/],
  phpunit: [
    /^OK \((?<passed>\d+) tests?, \d+ assertions?\)$/,
    /^Tests: (?<total>\d+), Assertions: \d+(?=(?:.*\bFailures: (?<failed>\d+))?)(?=(?:.*\bErrors: (?<failed2>\d+))?)(?=(?:.*\bSkipped: (?<skipped>\d+))?)(?=(?:.*\b(?:Incomplete|(?<=Assertions: 0, )Warnings): (?<skipped2>\d+))?).*\.$/,
    [/^No tests executed!$/, 'no-tests'],
    [/^(?:PHP )?(?:Fatal|Parse) error: /, 'error', 'detail'],
    [/^(?:FAILURES|ERRORS)!$/, 'fail'],
    [/^There (?:was|were) \d+ (?:failure|error)s?:$/, 'fail', 'detail'],
    [/^[.FEWRSIDN]*[FE][.FEWRSIDN]* +\d+ \/ \d+ \( ?\d+%\)$/, 'fail', 'detail'],
    [/^(?:Cannot open file|Could not read|Test (?:file|directory)) ".*"/, 'error'],
    [/^ ✘ [A-Z]/, 'fail', 'detail'],
    [/^ {2}⨯ \S.*? {2,}[\d.]+s$|^ {2}⨯ it \S/, 'fail', 'detail'],
  ],
  unittest: [
    [/^test\w* \([\w.]+\)(?: \[.*\])? \.\.\. FAIL$/, 'fail', 'detail'],
    [/^ERROR: \S+ \(unittest\.loader\._FailedTest\b/, 'error', 'detail'],
  ],
};

/** One detector per framework of the table: lines with counts come first, the rest where nothing is counted. */
export const TABLE_DETECTORS: readonly Detector[] = Object.entries(TABLE).map(([framework, rows]) => ({
  framework,
  detect: ({ lines }) => {
    const counted = rows.filter(counts).flatMap((row) => found(framework, row, lines));
    const stated = rows.filter((row) => !counts(row)).flatMap((row) => found(framework, row, lines).slice(0, 1));
    if (counted.length === 0) return stated;
    const broken = stated.filter(({ outcome, strength }) => outcome === 'error' && strength === 'summary');
    return counted.some(({ outcome }) => outcome === 'fail') ? counted : [...counted, ...broken];
  },
}));

function counts(row: Row): boolean {
  return row instanceof RegExp || ('line' in row && row.outcome === undefined);
}

function found(framework: string, row: Row, lines: readonly string[]): readonly Finding[] {
  if (row instanceof RegExp) return countsOf(framework, { line: row }, lines);
  return 'line' in row ? countsOf(framework, row, lines) : firstOf(framework, lines, [row]);
}
