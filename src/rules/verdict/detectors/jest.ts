import { type Detector, type Finding, firstOf, numbersIn, summary, uncounted } from './finding.ts';

/** Labels are padded to one column: a test that logs `Tests: 1 failed` does not look like it. */
const TESTS = /^Tests: {7}(.*\d+ total)$/;
const SUITES = /^Test Suites: (.*\d+ total)$/;

const NONE = /^No tests found(?:, exiting with code [01]| related to files? .*)$/;

/** Jest: the block at the end, else what is left of it. */
export const jest: Detector = {
  framework: 'jest',
  kind: 'runner',
  hints: ['Tests:       ', 'Test Suites: ', '● ', '✕ ', 'FAIL ', 'No tests found', 'Jest'],
  detect: ({ lines }) => {
    const summaries = lines.flatMap((line, index) => atLine(lines, line, index));
    return [...summaries, ...firstOf('jest', lines, DETAILS), ...failedFile(lines)];
  },
};

function atLine(lines: readonly string[], line: string, index: number): readonly Finding[] {
  const tests = TESTS.exec(line)?.[1];
  if (tests !== undefined) {
    const suites = SUITES.exec(lines[index - 1] ?? '')?.[1] ?? '';
    const count = numbersIn(tests);
    // A suite that cannot load has no tests: it only shows among the suites.
    return [
      summary('jest', { passed: count('passed'), failed: count('failed'), errors: numbersIn(suites)('failed') }, line),
    ];
  }
  const suites = SUITES.exec(line)?.[1];
  if (suites !== undefined && !TESTS.test(lines[index + 1] ?? '')) {
    const count = numbersIn(suites);
    if (count('failed') > 0) return [uncounted('jest', 'fail', line)];
    return count('passed') > 0 ? [uncounted('jest', 'pass', line)] : [];
  }
  return NONE.test(line) ? [uncounted('jest', 'no-tests', line)] : [];
}

const DETAILS = [
  [/^ {2}● .* › /, 'fail', 'detail'],
  [/^ {4,}✕ |^ {2}✕ \S.* \(\d+ m?s\)$/, 'fail', 'detail'],
  [/^ {2}● {1,2}(?:Test suite failed to run|process\.exit called with)/, 'error', 'detail'],
  [
    /^● (?:Validation Error:|Unrecognized CLI Parameter)|^Error: .*(?:jest\.config|config file path)/,
    'error',
    'detail',
  ],
] as const;

const FILE = /^ ?FAIL {1,2}\S+\.[cm]?[jt]sx?(?: \([\d.]+ m?s\))?$/;
const UNLOADED = /^ {2}● {1,2}Test suite failed to run/;

/** The head of a file with failed tests: a file that could not be loaded has the same, and what it means below it. */
function failedFile(lines: readonly string[]): readonly Finding[] {
  const line = lines.find(
    (each, index) =>
      FILE.test(each) && !UNLOADED.test(lines.slice(index + 1, index + 3).find((next) => next !== '') ?? ''),
  );
  return line === undefined ? [] : [uncounted('jest', 'fail', line, 'detail')];
}
