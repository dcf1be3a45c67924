import { type Detector, type Finding, firstOf, numbersIn, summary, uncounted } from './finding.ts';

/** `=== 1 failed, 2 passed in 0.12s ===`, with `-q` without the bars; minutes follow in parentheses. */
const SUMMARY =
  /^(?:=+ )?((?:\d+ (?:passed|failed|errors?|skipped|deselected|xfailed|xpassed|warnings?|rerun|subtests passed|subtests failed)(?:, )?)+) in \d+(?:\.\d+)?s(?: \([\d:., a-z]+\))?(?: =+)?$/;
const NONE = /^(?:=+ )?no tests ran in \d+(?:\.\d+)?s(?: =+)?$/;

export const pytest: Detector = {
  framework: 'pytest',
  kind: 'runner',
  hints: [' in ', 'FAIL', 'ERROR', '_pytest', '%]'],
  detect: ({ lines }) => {
    const broken = firstOf('pytest', lines, UNUSABLE);
    const summaries = lines.flatMap((line) => atLine(line, broken));
    if (summaries.length > 0) return summaries;
    return broken.length > 0 ? broken : firstOf('pytest', lines, DETAILS);
  },
};

function atLine(line: string, broken: readonly Finding[]): readonly Finding[] {
  if (NONE.test(line)) return broken.length > 0 ? broken : [uncounted('pytest', 'no-tests', line)];
  const list = SUMMARY.exec(line)?.[1];
  if (list === undefined) return [];
  const count = numbersIn(list);
  // An expected failure ran and did what was expected.
  const expected = count('xfailed') + count('xpassed');
  const failed = count('failed');
  const found = summary(
    'pytest',
    { passed: count('passed') + expected, failed, errors: count('error') + count('errors') },
    line,
  );
  return [{ ...found, passed: count('passed') }];
}

const UNUSABLE = [
  [/^ERROR: (?:usage:|not found:|file or directory not found:|.*unrecognized arguments)/, 'error', 'summary'],
  [/^INTERNALERROR> /, 'error', 'summary'],
  [/^ImportError while loading conftest /, 'error', 'summary'],
] as const;

const DETAILS = [
  [/^=+ FAILURES =+$/, 'fail', 'detail'],
  // The progress of a file, or of all: a mark for each test.
  [/^(?:\S+\.py )?[.FEsxXR]*F[.FEsxXR]* +\[ *\d+%\]$/, 'fail', 'detail'],
  [/^\S+\.py::\S.* FAILED +\[ *\d+%\]$/, 'fail', 'detail'],
  [/^=+ ERRORS =+$/, 'error', 'detail'],
  [/^(?:\S+\.py )?[.EsxXR]*E[.EsxXR]* +\[ *\d+%\]$/, 'error', 'detail'],
  [/^FAILED \S+::\S+/, 'fail', 'detail'],
  [/^ERROR \S+\.py(?:::\S+)?(?: - .*)?$/, 'error', 'detail'],
  [/^!+ Interrupted: \d+ errors? during collection !+$/, 'error', 'detail'],
] as const;
