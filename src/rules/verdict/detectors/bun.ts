import { type Detector, type Finding, firstOf, summary } from './finding.ts';

const COUNT = /^ *(\d+) (pass|fail|skip|todo|errors?)$/;

/** `bun test`: ` 3 pass`, ` 1 fail`, ` 1 error`, then `Ran 4 tests across 2 files.` */
export const bun: Detector = {
  framework: 'bun',
  kind: 'runner',
  hints: [' pass', ' fail', '(fail) ', 'No tests found!', 'The following filters did not match'],
  detect: ({ lines }) => {
    const found = blocksOf(lines);
    return [...found, ...firstOf('bun', lines, found.length > 0 ? DETAILS.slice(0, 1) : DETAILS)];
  },
};

function blocksOf(lines: readonly string[]): readonly Finding[] {
  const found: Finding[] = [];
  let numbers = new Map<string, number>();
  for (const [index, line] of lines.entries()) {
    const [, number = '', word = ''] = COUNT.exec(line) ?? [];
    if (word !== '') numbers.set(word.replace(/^errors$/, 'error'), Number(number));
    const last = COUNT.test(lines[index + 1] ?? '');
    if (word === '' || last) continue;
    // `1 pass` alone is anybody's line; it takes both counts, or the one after which `tail` cut.
    if (numbers.has('fail')) found.push(judge(numbers, line));
    numbers = new Map();
  }
  return found;
}

function judge(numbers: ReadonlyMap<string, number>, line: string): Finding {
  const errors = numbers.get('error') ?? 0;
  // An error between tests is counted among the failures too.
  const failed = Math.max(0, (numbers.get('fail') ?? 0) - errors);
  return summary(
    'bun',
    { passed: numbers.get('pass') ?? 0, failed, errors },
    `${numbers.get('fail') ?? 0} fail: ${line}`,
  );
}

const DETAILS = [
  [/^\(fail\) .* \[[\d.]+m?s\]$/, 'fail', 'detail'],
  [/^No tests found!$|^The following filters did not match any test files/, 'no-tests', 'summary'],
  [/^# Unhandled error between tests$/, 'error', 'detail'],
] as const;
