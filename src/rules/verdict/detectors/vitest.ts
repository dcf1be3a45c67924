import { type Detector, type Finding, firstOf, numbersIn, summary, uncounted } from './finding.ts';

/** Two spaces after the label: the live view of a terminal, which is overwritten, has one. */
const TESTS = /^ *Tests {2}(no tests|\d.*)$/;
const FILES = /^ *Test Files {2}(no tests|\d.*)$/;
const ERRORS = /^ *Errors {2}(\d+) errors?$/;

/** Vitest, also its benchmark of older majors: label, then `1 failed | 2 passed (3)`. */
export const vitest: Detector = {
  framework: 'vitest',
  kind: 'runner',
  hints: [
    'Tests  ',
    'Test Files  ',
    'FAIL  ',
    'No test files found',
    ' × ',
    ' ❯ ',
    ' DEPENDENCY ',
    '::error file=',
    ']⎯',
  ],
  detect: ({ lines }) => {
    const summaries = lines.flatMap((line, index) => atLine(lines, line, index));
    return [...latest(summaries, lines), ...firstOf('vitest', lines, DETAILS)];
  },
};

function atLine(lines: readonly string[], line: string, index: number): readonly Finding[] {
  const tests = TESTS.exec(line)?.[1];
  if (tests !== undefined) {
    const files = FILES.exec(lines[index - 1] ?? '')?.[1] ?? '';
    const unhandled = lines.slice(index + 1, index + 4).find((next) => ERRORS.test(next));
    const count = numbersIn(tests);
    // Files that cannot load have no tests that fail.
    const errors = numbersIn(files)('failed') + (unhandled === undefined ? 0 : 1);
    return [summary('vitest', { passed: count('passed'), failed: count('failed'), errors }, line)];
  }
  const files = FILES.exec(line)?.[1];
  if (files !== undefined && !TESTS.test(lines[index + 1] ?? '')) {
    const count = numbersIn(files);
    if (count('failed') > 0) return [uncounted('vitest', 'fail', line)];
    return count('passed') > 0 ? [uncounted('vitest', 'pass', line)] : [];
  }
  return /^ ?No test files found, exiting with code [01]$/.test(line) ? [uncounted('vitest', 'no-tests', line)] : [];
}

/** In watch mode only the last of the runs stands. */
function latest(summaries: readonly Finding[], lines: readonly string[]): readonly Finding[] {
  return lines.some((line) => /^ *DEV {2}v\d/.test(line)) ? summaries.slice(-1) : summaries;
}

const DETAILS = [
  // The end of each report of a failure.
  [/^⎯{9,}\[\d+\/\d+\]⎯$/, 'fail', 'detail'],
  [/^ *FAIL {2}\S.* > /, 'fail', 'detail'],
  [/^ *FAIL {2}\S+ \[ /, 'error', 'detail'],
  [/^ *❯ .* \(\d+ tests? \|.* \d+ failed/, 'fail', 'detail'],
  [/^ {2,}× \S.*/, 'fail', 'detail'],
  // The reporter `verbose` names the file.
  [/^ × (?:\|[^|]+\| )?\S+\.[cm]?[jt]sx? > \S/, 'fail', 'detail'],
  [/^ *MISSING DEPENDENCY {2}Cannot find dependency /, 'error', 'detail'],
  [/^⎯+ {1,2}(?:Startup Error|Unhandled Errors?) ⎯/, 'error', 'detail'],
  [/^::error file=[^:]*,title=/, 'fail', 'detail'],
] as const;
