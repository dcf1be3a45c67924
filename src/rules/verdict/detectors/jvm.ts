import { type Detector, summary } from './finding.ts';
import { detectorsOf } from './summary-line.ts';

/** JUnit's console launcher counts on one line each: `[         1 tests failed          ]`. */
export const junitConsole: Detector = {
  framework: 'junit',
  kind: 'runner',
  hints: [' tests successful ', ' tests failed '],
  detect: ({ lines }) => {
    const count = (word: string) => {
      const line = lines.findLast((each) => new RegExp(`^\\[ +\\d+ ${word} +\\]$`).test(each));
      return Number(/\d+/.exec(line ?? '')?.[0] ?? 0);
    };
    const evidence = lines.findLast((line) => /^\[ +\d+ tests (?:failed|successful) +\]$/.test(line));
    if (evidence === undefined) return [];
    const counts = {
      passed: count('tests successful'),
      failed: count('tests failed'),
      errors: count('containers failed'),
    };
    return [summary('junit', counts, evidence)];
  },
};

/** Build tools of the JVM: the last line of counts sums up the classes before it. */
export const jvm = detectorsOf([
  { framework: 'junit', hint: 'OK (', line: /^OK \((?<passed>\d+) tests?\)$/ },
  { framework: 'junit', hint: 'Tests run: ', line: /^Tests run: (?<total>\d+), {1,2}Failures: (?<failed>\d+)$/ },
  {
    framework: 'maven',
    hint: 'Tests run: ',
    line: /^(?:\[(?:INFO|ERROR|WARNING)\] )?Tests run: (?<total>\d+), Failures: (?<failed>\d+), Errors: (?<failed2>\d+), Skipped: (?<skipped>\d+)$/,
  },
  { framework: 'maven', hint: 'COMPILATION ERROR', line: /^\[ERROR\] COMPILATION ERROR/, outcome: 'error' },
  {
    framework: 'maven',
    hint: 'Compilation failure',
    line: /^\[ERROR\] Failed to execute goal .*:(?:testCompile|compile|test-compile) .*Compilation failure/,
    outcome: 'error',
  },
  { framework: 'maven', hint: '<<< ', line: /<<< (?:FAILURE|ERROR)!$/, outcome: 'fail', strength: 'detail' },
  {
    framework: 'maven',
    hint: 'MojoFailureException',
    line: /^\[ERROR\] \[Help 1\] \S+\/MojoFailureException$/,
    outcome: 'fail',
    strength: 'hint',
  },
  { framework: 'maven', hint: 'There are test failures', line: /There are test failures\.$/, outcome: 'fail' },
  { framework: 'maven', hint: 'No tests to run', line: /^\[INFO\] No tests to run\.$/, outcome: 'no-tests' },
  {
    framework: 'maven',
    hint: 'Could not resolve',
    line: /^\[ERROR\] .*Could not (?:resolve|find|transfer) /,
    outcome: 'error',
  },
  {
    framework: 'gradle',
    hint: ' completed, ',
    line: /^(?<total>\d+) tests? completed(?:, (?<failed>\d+) failed)?(?:, (?<skipped>\d+) skipped)?$/,
  },
  {
    framework: 'gradle',
    hint: 'Execution failed for task',
    line: /^(?:\* What went wrong:)?Execution failed for task ':(?:[\w-]+:)*compile\w*'/,
    outcome: 'error',
  },
  { framework: 'gradle', hint: 'failing tests', line: /^> There were failing tests\./, outcome: 'fail' },
  { framework: 'gradle', hint: 'Task :', line: /^> Task :\S*[tT]est\S* FAILED$/, outcome: 'fail', strength: 'detail' },
  { framework: 'gradle', hint: 'BUILD SUCCESSFUL', line: /^BUILD SUCCESSFUL in /, outcome: 'pass', strength: 'hint' },
  {
    framework: 'sbt',
    hint: 'Total ',
    line: /^\[(?:info|error)\] (?:Passed|Failed|Error): Total (?<total>\d+), Failed (?<failed>\d+), Errors (?<failed2>\d+), Passed (?<passed>\d+)/,
  },
  {
    framework: 'scalatest',
    hint: 'Tests: succeeded ',
    line: /^(?:\[info\] )?Tests: succeeded (?<passed>\d+), failed (?<failed>\d+), canceled \d+, ignored \d+, pending \d+$/,
  },
  {
    framework: 'testng',
    hint: 'Total tests run: ',
    line: /^Total tests run: (?<total>\d+), Passes: (?<passed>\d+), Failures: (?<failed>\d+), Skips: (?<skipped>\d+)$/,
  },
]);
