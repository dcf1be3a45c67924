import { detectorsOf, type SummaryLine } from './summary-line.ts';

/** A line with which a framework marks one failed test: what `head`, `tail` and `grep` leave of a run. */
interface Mark extends Pick<SummaryLine, 'framework' | 'hint' | 'line' | 'next'> {
  /** The mark is of a file that could not be loaded. */
  readonly broken?: true;
}

/** Only forms that nothing else prints; the detectors of single frameworks know more of their own. */
const MARKS: readonly Mark[] = [
  { framework: 'bats', hint: ' ✗ ', line: /^ ✗ \S/, next: /^ {3}\(in test file .*, line \d+\)$/ },
  { framework: 'bun', hint: '✗ ', line: /^✗ \S.* \[[\d.]+m?s\]$/ },
  { framework: 'dotnet', hint: '  Failed ', line: /^ {2}Failed \S.* \[(?:< )?[\d.]+ m?s\]$/ },
  { framework: 'exunit', hint: ') test ', line: /^ {2}\d+\) test .* \([A-Z][\w.]*\)$/ },
  { framework: 'gradle', hint: ' FAILED', line: /^[A-Z]\w+ > \S.* FAILED$/ },
  { framework: 'maven', hint: '[ERROR]   ', line: /^\[ERROR\] {3}[A-Z]\w*(?:\.\w+)+:\d+ / },
  { framework: 'minitest', hint: ' s = ', line: /^[A-Z][\w:]*#test_.* = [\d.]+ s = [FE]$/ },
  { framework: 'phpunit', hint: '✘ ', line: /^ ✘ [A-Z]/ },
  { framework: 'phpunit', hint: '⨯ ', line: /^ {2}⨯ \S.*? {2,}[\d.]+s$|^ {2}⨯ it \S/ },
  { framework: 'prove', hint: 'Failed test', line: /^# {3}Failed test\b/, next: /^# {3}at \S+ line \d+\.$/ },
  { framework: 'swift', hint: "Test Case '", line: /^Test Case '.+' failed \([\d.]+ seconds\)\.?$/ },
  { framework: 'swift', hint: ' failed after ', line: /^✘ Test .* failed after [\d.]+ seconds with \d+ issues?\.$/ },
  { framework: 'unittest', hint: '... FAIL', line: /^test\w* \([\w.]+\)(?: \[.*\])? \.\.\. FAIL$/ },
  { framework: 'unittest', hint: '_FailedTest', line: /^ERROR: \S+ \(unittest\.loader\._FailedTest\b/, broken: true },
];

export const marks = detectorsOf(
  MARKS.map(({ broken, ...mark }) => ({ ...mark, outcome: broken ? 'error' : 'fail', strength: 'detail' })),
);
