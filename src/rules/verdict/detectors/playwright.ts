import { type Detector, type Finding, firstOf, summary } from './finding.ts';

/** One line per way to end: `  1 failed`, `  2 passed (2.1s)`. */
const COUNT = /^ {2}(\d+) (failed|flaky|interrupted|skipped|did not run|passed)(?: \([\d.]+m?[smh]\))?$/;
const ERROR = /^ {2}(\d+) errors? (?:was|were) not a part of any test/;

export const playwright: Detector = {
  framework: 'playwright',
  kind: 'runner',
  hints: [' failed', ' passed (', ' flaky', 'No tests found', 'Error: ', ' did not run', '✘'],
  detect: ({ lines }) => {
    const found = counts(lines);
    if (found !== null)
      return [isHeadless(lines) ? { ...found, outcome: 'fail', failed: null, strength: 'hint' } : found];
    const syntax = lines.some((line) => /^(?:Syntax|Type|Reference)?Error: (?!No tests found)/.test(line));
    const none = firstOf('playwright', lines, [[/^Error: No tests found/, syntax ? 'error' : 'no-tests', 'summary']]);
    return none.length > 0 ? none : firstOf('playwright', lines, DETAILS);
  },
};

function counts(lines: readonly string[]): Finding | null {
  const numbers = new Map<string, number>();
  let evidence = '';
  for (const line of lines) {
    const [, number = '', word = ''] = COUNT.exec(line) ?? [];
    if (word === '') continue;
    numbers.set(word, (numbers.get(word) ?? 0) + Number(number));
    if (evidence === '' || word === 'failed') evidence = line;
  }
  const errors = lines.some((line) => ERROR.test(line)) ? 1 : 0;
  // `1 passed` without anything of Playwright's around it may be any script's: the time in parentheses is its mark.
  const own = lines.some((line) =>
    /^ {2}\d+ passed \(|^ {2}\d+ failed$|^Running \d+ tests? using \d+ workers?/.test(line),
  );
  if (numbers.size === 0 || !own) return null;
  const of = (word: string) => numbers.get(word) ?? 0;
  return summary(
    'playwright',
    {
      passed: of('passed') + of('flaky'),
      failed: of('failed'),
      errors: errors + of('interrupted') + of('did not run'),
    },
    evidence,
  );
}

/** Did `tail` take the heading of a list of tests? It listed those that failed, or that passed in the end. */
function isHeadless(lines: readonly string[]): boolean {
  const listed = lines.findIndex((line) => LISTED.test(line));
  return listed >= 0 && !lines.slice(0, listed).some((line) => COUNT.test(line));
}

const LISTED = /^ {4}(?:\[[^\]]+\] › )?\S+:\d+:\d+ › .*$/;

const DETAILS = [
  [/^Error: (?:Project\(s\) ".*" not found|.*playwright\.config)/, 'error', 'detail'],
  [/^ {2}✘ {1,3}\d+ \S/, 'fail', 'detail'],
  [/^ {2}\d+\) (?:\[[^\]]+\] › )?\S+:\d+:\d+ › /, 'fail', 'detail'],
] as const;
