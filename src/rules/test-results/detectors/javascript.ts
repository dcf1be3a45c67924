import { countWords, type Detector, type Finding, firstOf, numbersIn, summary, uncounted } from './finding.ts';

/** Runners that end with a block of labels: files, then tests, each with a list of numbers. */
interface Labels {
  readonly framework: string;
  readonly tests: RegExp;
  readonly files: RegExp;
  readonly none: RegExp;
  /** A line below them for errors outside tests. */
  readonly errors?: RegExp;
}

function labelled(labels: Labels, lines: readonly string[]): readonly Finding[] {
  return lines.flatMap((line, index) => {
    const tests = labels.tests.exec(line)?.[1];
    const files = labels.files.exec(line)?.[1];
    if (tests !== undefined) {
      const outside = lines.slice(index + 1, index + 4).some((next) => labels.errors?.test(next));
      const count = numbersIn(tests);
      // A file that cannot load has no tests: it only appears among the files.
      const unloaded = numbersIn(labels.files.exec(lines[index - 1] ?? '')?.[1] ?? '')('failed');
      const counts = { passed: count('passed'), failed: count('failed'), errors: unloaded + (outside ? 1 : 0) };
      return [summary(labels.framework, counts, line)];
    }
    if (files !== undefined && !labels.tests.test(lines[index + 1] ?? '')) {
      const count = numbersIn(files);
      if (count('failed') > 0) return [uncounted(labels.framework, 'fail', line)];
      return count('passed') > 0 ? [uncounted(labels.framework, 'pass', line)] : [];
    }
    return labels.none.test(line) ? [uncounted(labels.framework, 'no-tests', line)] : [];
  });
}

/** Labels are padded to one column: a test's log line `Tests: 1 failed` does not match. */
const JEST: Labels = {
  framework: 'jest',
  tests: /^Tests: {7}(.*\d+ total)$/,
  files: /^Test Suites: (.*\d+ total)$/,
  none: /^No tests found(?:, exiting with code [01]| related to files? .*)$/,
};

/** Jest: the block at the end, else the remaining parts of it. */
export const jest: Detector = {
  framework: 'jest',
  detect: ({ lines }) => [...labelled(JEST, lines), ...firstOf('jest', lines, JEST_DETAILS), ...failedJestFile(lines)],
};

const JEST_DETAILS = [
  [/^ {2}● .* › /, 'fail', 'detail'],
  [/^ {4,}✕ |^ {2}✕ \S.* \(\d+ m?s\)$/, 'fail', 'detail'],
  [/^ {2}● {1,2}(?:Test suite failed to run|process\.exit called with)/, 'error', 'detail'],
  [
    /^● (?:Validation Error:|Unrecognized CLI Parameter)|^Error: .*(?:jest\.config|config file path)/,
    'error',
    'detail',
  ],
] as const;

const JEST_FILE = /^ ?FAIL {1,2}\S+\.[cm]?[jt]sx?(?: \([\d.]+ m?s\))?$/;
const JEST_UNLOADED = /^ {2}● {1,2}Test suite failed to run/;

/** The head of a file with failed tests: a file that could not load has the same head, and its meaning is below it. */
function failedJestFile(lines: readonly string[]): readonly Finding[] {
  const line = lines.find(
    (each, index) =>
      JEST_FILE.test(each) && !JEST_UNLOADED.test(lines.slice(index + 1, index + 3).find((next) => next !== '') ?? ''),
  );
  return line === undefined ? [] : [uncounted('jest', 'fail', line, 'detail')];
}

/** Two spaces after the label: the live view of a terminal, which is overwritten, has only one. */
const VITEST: Labels = {
  framework: 'vitest',
  tests: /^ *Tests {2}(no tests|\d.*)$/,
  files: /^ *Test Files {2}(no tests|\d.*)$/,
  none: /^ ?No test files found, exiting with code [01]$/,
  errors: /^ *Errors {2}(\d+) errors?$/,
};

/** Vitest, and the benchmarks of its older majors: label, then `1 failed | 2 passed (3)`. */
export const vitest: Detector = {
  framework: 'vitest',
  detect: ({ lines }) => [...latest(labelled(VITEST, lines), lines), ...firstOf('vitest', lines, VITEST_DETAILS)],
};

/** In watch mode only the last run counts. */
function latest(summaries: readonly Finding[], lines: readonly string[]): readonly Finding[] {
  return lines.some((line) => /^ *DEV {2}v\d/.test(line)) ? summaries.slice(-1) : summaries;
}

const VITEST_DETAILS = [
  // The end of each failure report.
  [/^⎯{9,}\[\d+\/\d+\]⎯$/, 'fail', 'detail'],
  [/^ *FAIL {2}\S.* > /, 'fail', 'detail'],
  [/^ *FAIL {2}\S+ \[ /, 'error', 'detail'],
  [/^ *❯ .* \(\d+ tests? \|.* \d+ failed/, 'fail', 'detail'],
  [/^ {2,}× \S.*(?: \d+ms| > .*)$/, 'fail', 'detail'],
  // The reporter `verbose` names the file.
  [/^ × (?:\|[^|]+\| )?\S+\.[cm]?[jt]sx? > \S/, 'fail', 'detail'],
  [/^ *MISSING DEPENDENCY {2}Cannot find dependency /, 'error', 'detail'],
  [/^⎯+ {1,2}(?:Startup Error|Unhandled Errors?) ⎯/, 'error', 'detail'],
  [/^::error file=[^:]*,title=/, 'fail', 'detail'],
] as const;

/** Indented by exactly two spaces: log lines of tests are not. */
const PASSING = /^ {2}(\d+) passing \([\d.]+m?[smh]\)$/;
const FAILING = /^ {2}(\d+) failing$/;

/** Mocha, and runners based on it (Cypress, WebdriverIO). */
export const mocha: Detector = {
  framework: 'mocha',
  detect: ({ lines }) => {
    const details = [...failureEntry(lines), ...firstOf('mocha', lines, MOCHA_DETAILS)];
    const failed = details.find(({ outcome }) => outcome === 'fail');
    // When the output is cut after `N passing`, the failure count is missing, but the marks of failed tests remain.
    const isCut = endsWithPassing(lines) || listsFailures(lines);
    if (isCut && failed !== undefined) return [{ ...failed, strength: 'summary' }];
    return [...lines.flatMap((line, index) => mochaLine(lines, line, index)), ...details];
  },
};

/** Whether the output ends with `N passing`, without another summary or a list of failures before it. */
function endsWithPassing(lines: readonly string[]): boolean {
  const passing = lines.filter((line) => PASSING.test(line));
  const listed = lines.some((line) => /^ {6}at \S/.test(line));
  return passing.length === 1 && !listed && passing[0] === lines.findLast((line) => line !== '');
}

/** Whether failures are listed below `N passing` although the line with their number is missing: `grep -v failing`. */
function listsFailures(lines: readonly string[]): boolean {
  const passing = lines.findLastIndex((line) => PASSING.test(line));
  return passing >= 0 && !lines.some((line) => FAILING.test(line)) && failureEntry(lines.slice(passing)).length > 0;
}

function mochaLine(lines: readonly string[], line: string, index: number): readonly Finding[] {
  const passing = PASSING.exec(line)?.[1];
  if (passing !== undefined) {
    const failing = lines.slice(index + 1, index + 3).find((next) => FAILING.test(next));
    const failed = Number(FAILING.exec(failing ?? '')?.[1] ?? 0);
    return [summary('mocha', { passed: Number(passing), failed }, failing ?? line)];
  }
  const failing = FAILING.exec(line)?.[1];
  // Already counted with `N passing`, unless `tail` removed that line.
  if (failing === undefined || lines.slice(Math.max(0, index - 2), index).some((before) => PASSING.test(before)))
    return [];
  return [{ ...uncounted('mocha', 'fail', line), failed: Number(failing) }];
}

/** `  3) suite`, then the titles, the last with a colon, then the error. */
function failureEntry(lines: readonly string[]): readonly Finding[] {
  const line = lines.find(
    (each, index) =>
      /^ {2}\d+\) \S/.test(each) &&
      lines.slice(index, index + 4).some((next) => /^ {4,7}\S.*:$|^ {2}\d+\) .*:$/.test(next)),
  );
  return line === undefined ? [] : [uncounted('mocha', 'fail', line, 'detail')];
}

const MOCHA_DETAILS = [
  [/^ {6}at Context\.<anonymous> \(/, 'fail', 'detail'],
  [/^ {6}\+ expected - actual$/, 'fail', 'detail'],
  [/^ {4,}\d+\) \S/, 'fail', 'detail'],
  [/^Error: No test files? found/, 'no-tests', 'summary'],
] as const;

/** `ℹ fail 1` of the reporter `spec`, `# fail 1` of `tap`. */
const NODE_COUNT = /^(ℹ|#) (tests|suites|pass|fail|cancelled|skipped|todo) (\d+)$/;

/** Node's own test runner. Its block of counts includes `cancelled`, which other TAP producers do not print. */
export const nodeTest: Detector = {
  framework: 'node:test',
  detect: ({ lines }) => {
    const blocks = nodeBlocks(lines).filter((block) => block.numbers.has('cancelled') || block.mark === 'ℹ');
    const broken = filesThatDidNotLoad(lines);
    const summaries = blocks.filter((block) => block.numbers.has('fail')).map((block) => judgeNodeBlock(block, broken));
    return [...summaries, ...firstOf('node:test', lines, NODE_DETAILS)];
  },
};

interface Block {
  readonly mark: string;
  readonly numbers: Map<string, number>;
  evidence: string;
}

function nodeBlocks(lines: readonly string[]): readonly Block[] {
  const blocks: Block[] = [];
  for (const line of lines) {
    const [, mark = '', name = '', number = ''] = NODE_COUNT.exec(line) ?? [];
    if (mark === '') continue;
    let block = blocks.at(-1);
    if (block === undefined || block.numbers.has(name) || block.mark !== mark) {
      block = { mark, numbers: new Map(), evidence: line };
      blocks.push(block);
    }
    block.numbers.set(name, Number(number));
    if (name === 'fail') block.evidence = line;
  }
  return blocks;
}

function judgeNodeBlock({ numbers, evidence }: Block, broken: number): Finding {
  const fail = numbers.get('fail') ?? 0;
  // A file that cannot load counts as one failed test.
  const failed = Math.max(0, fail - broken);
  const errors = fail - failed + (numbers.get('cancelled') ?? 0);
  const found = summary('node:test', { passed: numbers.get('pass') ?? 0, failed, errors }, evidence);
  if (numbers.has('pass')) return found;
  // `tail` removed the count of passed tests.
  return found.outcome === 'no-tests' && numbers.get('tests') !== 0
    ? uncounted('node:test', 'pass', evidence)
    : { ...found, passed: null };
}

/** Files reported as a test: they ended with an exit code instead of results. */
function filesThatDidNotLoad(lines: readonly string[]): number {
  const tap = lines.filter((line) => /^ *error: 'test failed'$/.test(line)).length;
  const from = lines.indexOf('✖ failing tests:');
  const spec = from < 0 ? 0 : lines.slice(from).filter((line) => /^ *'test failed'$/.test(line)).length;
  return tap + spec;
}

const NODE_DETAILS = [
  [/^ *✖ \S.* \(\d+\.\d+ms\)$/, 'fail', 'detail'],
  [/^✖ failing tests:$/, 'fail', 'detail'],
] as const;

/** One line per kind of result: `  1 failed`, `  2 passed (2.1s)`. */
const PLAYWRIGHT_COUNT =
  /^ {2}(?<number>\d+) (?<word>failed|flaky|interrupted|skipped|did not run|passed)(?: \([\d.]+m?[smh]\))?$/;
const PLAYWRIGHT_ERROR = /^ {2}(\d+) errors? (?:was|were) not a part of any test/;

export const playwright: Detector = {
  framework: 'playwright',
  detect: ({ lines }) => {
    const found = playwrightCounts(lines);
    if (found !== null)
      return [isHeadless(lines) ? { ...found, outcome: 'fail', failed: null, strength: 'hint' } : found];
    const syntax = lines.some((line) => /^(?:Syntax|Type|Reference)?Error: (?!No tests found)/.test(line));
    const none = firstOf('playwright', lines, [[/^Error: No tests found/, syntax ? 'error' : 'no-tests', 'summary']]);
    return none.length > 0 ? none : firstOf('playwright', lines, PLAYWRIGHT_DETAILS);
  },
};

function playwrightCounts(lines: readonly string[]): Finding | null {
  const { numberOf, evidence } = countWords(lines, PLAYWRIGHT_COUNT, 'failed');
  const errors = lines.some((line) => PLAYWRIGHT_ERROR.test(line)) ? 1 : 0;
  // `1 passed` without other Playwright output may come from any script: the time in parentheses identifies it.
  const own = lines.some((line) =>
    /^ {2}\d+ passed \(|^ {2}\d+ failed$|^Running \d+ tests? using \d+ workers?/.test(line),
  );
  if (evidence === null || !own) return null;
  const counts = {
    passed: numberOf('passed') + numberOf('flaky'),
    failed: numberOf('failed'),
    errors: errors + numberOf('interrupted') + numberOf('did not run'),
  };
  return summary('playwright', counts, evidence);
}

/** Whether `tail` removed the heading of a list of tests: it lists tests that failed, or that passed in the end. */
function isHeadless(lines: readonly string[]): boolean {
  const listed = lines.findIndex((line) => PLAYWRIGHT_TEST.test(line));
  return listed >= 0 && !lines.slice(0, listed).some((line) => PLAYWRIGHT_COUNT.test(line));
}

const PLAYWRIGHT_TEST = /^ {4}(?:\[[^\]]+\] › )?\S+:\d+:\d+ › .*$/;

const PLAYWRIGHT_DETAILS = [
  [/^Error: (?:Project\(s\) ".*" not found|.*playwright\.config)/, 'error', 'detail'],
  [/^ {2}✘ {1,3}\d+ \S/, 'fail', 'detail'],
  [/^ {2}\d+\) (?:\[[^\]]+\] › )?\S+:\d+:\d+ › /, 'fail', 'detail'],
] as const;

const BUN_COUNT = /^ *(\d+) (pass|fail|skip|todo|errors?)$/;

/** `bun test`: ` 3 pass`, ` 1 fail`, ` 1 error`, then `Ran 4 tests across 2 files.` */
export const bun: Detector = {
  framework: 'bun',
  detect: ({ lines }) => {
    const found = bunRuns(lines);
    return [...found, ...firstOf('bun', lines, found.length > 0 ? BUN_DETAILS.slice(0, 1) : BUN_DETAILS)];
  },
};

function bunRuns(lines: readonly string[]): readonly Finding[] {
  const found: Finding[] = [];
  let numbers = new Map<string, number>();
  for (const [index, line] of lines.entries()) {
    const [, number = '', word = ''] = BUN_COUNT.exec(line) ?? [];
    if (word !== '') numbers.set(word.replace(/^errors$/, 'error'), Number(number));
    const last = BUN_COUNT.test(lines[index + 1] ?? '');
    if (word === '' || last) continue;
    // `1 pass` alone may come from any program: it takes both counts, or the one after the cut by `tail`.
    if (numbers.has('fail')) found.push(judgeBunRun(numbers, line));
    numbers = new Map();
  }
  return found;
}

function judgeBunRun(numbers: ReadonlyMap<string, number>, line: string): Finding {
  const errors = numbers.get('error') ?? 0;
  // An error between tests also counts as a failure.
  const failed = Math.max(0, (numbers.get('fail') ?? 0) - errors);
  return summary(
    'bun',
    { passed: numbers.get('pass') ?? 0, failed, errors },
    `${numbers.get('fail') ?? 0} fail: ${line}`,
  );
}

const BUN_DETAILS = [
  [/^\(fail\) .* \[[\d.]+m?s\]$/, 'fail', 'detail'],
  [/^No tests found!$|^The following filters did not match any test files/, 'no-tests', 'summary'],
  [/^# Unhandled error between tests$/, 'error', 'detail'],
] as const;
