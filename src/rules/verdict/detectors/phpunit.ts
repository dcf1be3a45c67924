import { type Detector, type Finding, firstOf, summary } from './finding.ts';

const OK = /^OK \((\d+) tests?, \d+ assertions?\)$/;
/** `Tests: 3, Assertions: 3, Failures: 1.` */
const COUNTS = /^Tests: (\d+), Assertions: \d+(.*)\.$/;
/** Pest: `  Tests:    1 failed, 2 passed (3 assertions)` */
const PEST = /^ {2}Tests: {2,4}(\d.*?)(?: \(\d+ assertions?\))?$/;

export const phpunit: Detector = {
  framework: 'phpunit',
  kind: 'runner',
  hints: ['OK (', 'Tests: ', 'No tests executed!', 'PHP', 'FAILURES!', 'ERRORS!', 'There w', '%)'],
  detect: ({ lines }) => {
    const found = lines.flatMap(atLine);
    return found.length > 0 ? found : firstOf('phpunit', lines, OTHERS);
  },
};

function atLine(line: string): readonly Finding[] {
  const ok = OK.exec(line)?.[1];
  if (ok !== undefined) return [summary('phpunit', { passed: Number(ok), failed: 0 }, line)];
  const [, tests, list = ''] = COUNTS.exec(line) ?? [];
  if (tests !== undefined) {
    const count = (name: string) => Number(new RegExp(`\\b${name}: (\\d{1,9})`).exec(list)?.[1] ?? 0);
    const failed = count('Failures') + count('Errors');
    return [
      summary('phpunit', { passed: Number(tests) - failed - count('Skipped') - count('Incomplete'), failed }, line),
    ];
  }
  const pest = PEST.exec(line)?.[1];
  if (pest === undefined) return [];
  const count = (word: string) => Number(new RegExp(`(\\d{1,9}) ${word}\\b`).exec(pest)?.[1] ?? 0);
  return [{ ...summary('phpunit', { passed: count('passed'), failed: count('failed') }, line), framework: 'pest' }];
}

const OTHERS = [
  [/^No tests executed!$/, 'no-tests', 'summary'],
  [/^(?:PHP )?(?:Fatal|Parse) error: /, 'error', 'detail'],
  [/^(?:FAILURES|ERRORS)!$/, 'fail', 'summary'],
  [/^There (?:was|were) \d+ (?:failure|error)s?:$/, 'fail', 'detail'],
  [/^[.FEWRSIDN]*[FE][.FEWRSIDN]* +\d+ \/ \d+ \( ?\d+%\)$/, 'fail', 'detail'],
  [/^(?:Cannot open file|Could not read|Test (?:file|directory)) ".*"/, 'error', 'summary'],
] as const;
