import { type Detector, type Finding, firstOf, summary, uncounted } from './finding.ts';

const RAN = /^\[=+\] (\d+) tests?(?:\(s\))? (?:from \d+ test (?:suites?|cases?) )?r[au]n\./;
/** `[  PASSED  ] 2 tests.`, cmocka: `[  FAILED  ] 1 test(s), listed below:` */
const ENDED = /^\[ {2}(PASSED|FAILED|SKIPPED) {1,2}\] (\d+) tests?(?:\(s\))?(?:\.|, listed below:)$/;

/** GoogleTest and cmocka: how many ran, then a line for each way to end. */
export const gtest: Detector = {
  framework: 'gtest',
  kind: 'runner',
  hints: ['[  PASSED  ]', '[  FAILED  ]', ' FAILED TEST', '[==========]'],
  detect: ({ lines }) => {
    const found = counts(lines);
    // Without the count of those that ran, `[  PASSED  ]` says nothing of those that failed.
    const details =
      found?.outcome === 'pass' && !lines.some((line) => RAN.test(line)) ? firstOf('gtest', lines, DETAILS) : [];
    if (details.length > 0) return details;
    return found === null ? [...firstOf('gtest', lines, DETAILS), ...unended(lines)] : [found];
  },
};

function counts(lines: readonly string[]): Finding | null {
  const numbers = new Map<string, number>();
  let ran: number | null = null;
  let evidence = '';
  for (const line of lines) {
    const all = RAN.exec(line)?.[1];
    if (all !== undefined) ran = (ran ?? 0) + Number(all);
    const [, word = '', number] = ENDED.exec(line) ?? [];
    if (word === '') continue;
    numbers.set(word, (numbers.get(word) ?? 0) + Number(number));
    if (evidence === '' || word === 'FAILED') evidence = line;
  }
  if (numbers.size === 0) return null;
  const of = (word: string) => numbers.get(word) ?? 0;
  // With `--gtest_brief` no line counts the failures: they are what the others leave.
  const unnamed = ran === null || !numbers.has('PASSED') ? 0 : Math.max(0, ran - of('PASSED') - of('SKIPPED'));
  return summary('gtest', { passed: of('PASSED'), failed: Math.max(of('FAILED'), unnamed) }, evidence);
}

/** The last test that began did not end: it crashed, unless `head` took the rest. */
function unended(lines: readonly string[]): readonly Finding[] {
  const last = lines.findLast((line) => /^\[[ =A-Z-]{10}\] /.test(line));
  return last?.startsWith('[ RUN ') ? [uncounted('gtest', 'error', last, 'hint')] : [];
}

const DETAILS = [
  [/^ *[1-9]\d* FAILED TESTS?(?:\(S\)|\(s\))?$/, 'fail', 'summary'],
  [/^\[ {2}FAILED {2}\] \S+/, 'fail', 'detail'],
] as const;
