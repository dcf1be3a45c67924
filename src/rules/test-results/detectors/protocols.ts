import { type Detector, type Finding, firstOf, summary, uncounted } from './finding.ts';

/** A number field of a report: the first with this name. */
function numberIn(text: string, name: string): number | null {
  const digits = new RegExp(`["\\b]${name}"?\\s{0,4}[:=]\\s{0,4}"?(\\d{1,9})`).exec(text)?.[1];
  return digits === undefined ? null : Number(digits);
}

/** JSON of Jest and Vitest: `numFailedTests` and similar fields. */
export const jestJson: Detector = {
  framework: 'jest-json',
  detect: ({ text }) => {
    const failed = numberIn(text, 'numFailedTests');
    const passed = numberIn(text, 'numPassedTests');
    if (failed === null || passed === null) return [];
    const broken = numberIn(text, 'numRuntimeErrorTestSuites') ?? 0;
    const suites = passed + failed === 0 ? (numberIn(text, 'numFailedTestSuites') ?? 0) : 0;
    return [
      summary(
        'jest-json',
        { passed, failed, errors: broken + suites },
        `"numFailedTests":${failed},"numPassedTests":${passed}`,
      ),
    ];
  },
};

/** JSON of Mocha's reporters `json` and `json-stream`. */
export const mochaJson: Detector = {
  framework: 'mocha-json',
  detect: ({ text }) => {
    // The stream has its counts in the last event, the report at its start.
    const counts = text.slice(Math.max(0, text.lastIndexOf('["end",{')));
    const failed = numberIn(counts, 'failures');
    const passed = numberIn(counts, 'passes');
    if (failed === null || passed === null || !counts.includes('"tests"')) return [];
    return [summary('mocha-json', { passed, failed }, `"passes": ${passed}, "failures": ${failed}`)];
  },
};

/** JSON of Playwright: `"expected": 3, "unexpected": 1`. */
export const playwrightJson: Detector = {
  framework: 'playwright-json',
  detect: ({ text }) => {
    const stats = text.slice(Math.max(0, text.lastIndexOf('"stats"')));
    const failed = numberIn(stats, 'unexpected');
    const passed = numberIn(stats, 'expected');
    if (failed === null || passed === null) return [];
    return [summary('playwright-json', { passed, failed }, `"expected": ${passed}, "unexpected": ${failed}`)];
  },
};

/** JSON of RSpec. */
export const rspecJson: Detector = {
  framework: 'rspec-json',
  detect: ({ text }) => {
    const failed = numberIn(text, 'failure_count');
    const total = numberIn(text, 'example_count');
    if (failed === null || total === null) return [];
    const errors = numberIn(text, 'errors_outside_of_examples_count') ?? 0;
    const passed = total - failed - (numberIn(text, 'pending_count') ?? 0);
    return [summary('rspec-json', { passed, failed, errors }, `"example_count":${total},"failure_count":${failed}`)];
  },
};

/** JUnit's XML. The outer element has the totals; without one the suites are added up. */
export const junitXml: Detector = {
  framework: 'junit-xml',
  detect: ({ lines, text }) => {
    const outer = elements(text, /<testsuites ([^<>]{0,400})>/g).filter((attributes) => /\btests="/.test(attributes));
    const suites = outer.length > 0 ? outer : elements(text, /<testsuite ([^<>]{0,400})>/g);
    if (suites.length === 0) return firstOf('junit-xml', lines, REPORT_FAILURES);
    const sum = (name: string) => suites.reduce((all, suite) => all + attribute(suite, name), 0);
    const failed = sum('failures') + sum('errors');
    const passed = Math.max(0, sum('tests') - failed - sum('skipped') - sum('disabled'));
    return [summary('junit-xml', { passed, failed }, `<testsuite tests="${sum('tests')}" failures="${failed}">`)];
  },
};

/** The remains of a report after `tail`. */
const REPORT_FAILURES = [
  [/<\/failure>|<failure [^>]*\/>/, 'fail', 'detail'],
  [/<\/error>|<error [^>]*\/>/, 'error', 'detail'],
  // `grep -o` of an attribute
  [/^failures="[1-9]\d*"$/, 'fail', 'detail'],
  [/^errors="[1-9]\d*"$/, 'error', 'detail'],
] as const;

function elements(text: string, pattern: RegExp): readonly string[] {
  return [...text.matchAll(pattern)].map(([, attributes = '']) => attributes);
}

function attribute(attributes: string, name: string): number {
  return Number(new RegExp(`\\b${name}="(\\d{1,9})"`).exec(attributes)?.[1] ?? 0);
}

const TAP_POINT = /^(not )?ok\b(?: (\d+))?(.*)$/;
const TAP_PLAN = /^1\.\.(\d+)(?:\s+#.*)?$/;

/** The Test Anything Protocol: tape, tap, Bats, prove's input, QUnit and many other reporters. */
export const tap: Detector = {
  framework: 'tap',
  detect: ({ lines }) => {
    const bail = lines.find((line) => line.startsWith('Bail out!'));
    if (bail !== undefined) return [uncounted('tap', 'error', bail)];
    return tapCounts(lines) ?? tapPoints(lines);
  },
};

/** The counts that most producers print last: `# pass 2` and `# fail 1`, or `# { total: 3, pass: 2, fail: 1 }`. */
function tapCounts(lines: readonly string[]): readonly Finding[] | null {
  const object = lines.findLast((line) => /^# \{ total: \d/.test(line));
  if (object !== undefined) {
    const count = (name: string) => Number(new RegExp(`\\b${name}: (\\d{1,9})`).exec(object)?.[1] ?? 0);
    return [summary('tap', { passed: count('pass'), failed: count('fail') }, object)];
  }
  const count = (name: string) => lines.findLast((line) => new RegExp(`^# ${name} +\\d+$`).test(line));
  const [pass, fail] = [count('pass'), count('fail')];
  if (pass === undefined && fail === undefined) return null;
  const number = (line: string | undefined) => Number(/\d+$/.exec(line ?? '')?.[0] ?? 0);
  if (pass === undefined && number(fail) === 0 && count('tests') !== '# tests 0')
    return [uncounted('tap', 'pass', fail ?? '')];
  return [summary('tap', { passed: number(pass), failed: number(fail) }, fail ?? pass ?? '')];
}

/** The individual test points. */
function tapPoints(lines: readonly string[]): readonly Finding[] {
  const plan = lines.find((line) => TAP_PLAN.test(line));
  const points = lines.flatMap((line) => pointAt(line));
  if (plan === undefined && !lines.some((line) => /^TAP version \d+$/.test(line))) return tapWithoutPlan(lines);
  const bad = points.filter((point) => point.bad);
  const firstBad = bad[0];
  const good = new Set(points.filter((point) => !point.bad).map(({ number }) => number));
  if (firstBad !== undefined && bad.every(({ number }) => good.has(number))) {
    // A test that passed has the same number: a test printed this line.
    return [uncounted('tap', 'fail', firstBad.line, 'hint')];
  }
  if (points.length === 0 && plan !== '1..0') return [];
  const passed = points.filter((point) => !point.bad && !point.skipped).length;
  const planned = Number(TAP_PLAN.exec(plan ?? '')?.[1] ?? Number.POSITIVE_INFINITY);
  if (bad.length === 0 && points.length < planned) {
    const outcome = passed > 0 ? 'pass' : 'no-tests';
    return [uncounted('tap', outcome, plan ?? points.at(-1)?.line ?? '', 'hint')];
  }
  return [summary('tap', { passed, failed: bad.length }, firstBad?.line ?? plan ?? points[0]?.line ?? 'TAP version')];
}

interface Point {
  readonly bad: boolean;
  readonly skipped: boolean;
  readonly number: string;
  readonly line: string;
}

function pointAt(line: string): readonly Point[] {
  const [whole, not, number = '', rest = ''] = TAP_POINT.exec(line) ?? [];
  if (whole === undefined || /^\w/.test(rest)) return [];
  const [, directive] = /# *(skip|todo)\b/i.exec(rest) ?? [];
  return [{ bad: not !== undefined && directive === undefined, skipped: directive !== undefined, number, line }];
}

/** The remains of the test points after `tail`. */
function tapWithoutPlan(lines: readonly string[]): readonly Finding[] {
  return firstOf('tap', lines, [
    [/^not ok \d+\b(?!.*# *(?:todo|skip))/i, 'fail', 'detail'],
    [/^# {2}?\(in test file .*, line \d+\)$/, 'fail', 'detail'],
  ]);
}

/** The last lines of TAP pretty printers, each form as consecutive line patterns. */
const TAP_BLOCKS: readonly (readonly RegExp[])[] = [
  // tap-spec, tap-dot and similar printers
  [/^ *total: +(?<total>\d+)$/, /^ *pass(?:ing|ed)?: +(?<passed>\d+)$/, /^ *fail(?:ing|ed)?: +(?<failed>\d+)$/],
  // tap-spec omits the third line when there are no failures
  [/^ *total: +(?<total>\d+)$/, /^ *passing: +(?<passed>\d+)$/, /^ *duration: /],
  [/^ *(?<total>\d+) tests$/, /^ *(?<passed>\d+) passed$/, /^ *(?<failed>\d+) failed$/],
  // tap-summary
  [/^assertions: *(?<total>\d+)$/, /^pass(?:ing)?: *(?<passed>\d+)$/, /^fail(?:ing)?: *(?<failed>\d+)$/],
  // faucet
  [/^# tests +(?<total>\d+)$/, /^# pass +(?<passed>\d+)$/, /^(?:⨯|✗|✖|x) fail +(?<failed>\d+)$/],
  // tap-diff
  [/^ *passed: +(?<passed>\d+),? +failed: +(?<failed>\d+) +of +(?<total>\d+) tests?\b/],
];
/** tap-spec */
const TAP_FAILED = /^ *Failed Tests: There (?:was|were) (\d+) failures?$/;

/** Printers that come after a pipe: `tape test | tap-spec`. */
export const tapReporters: Detector = {
  framework: 'tap',
  detect: ({ lines }) => {
    const filled = lines.filter((line) => line.trim() !== '');
    const found = TAP_BLOCKS.flatMap((block) => filled.flatMap((_, index) => blockAt(block, filled, index))).slice(
      0,
      1,
    );
    if (found.length > 0) return found;
    const failed = filled.find((line) => TAP_FAILED.test(line));
    return failed === undefined ? [] : [uncounted('tap', 'fail', failed)];
  },
};

function blockAt(block: readonly RegExp[], lines: readonly string[], index: number): readonly Finding[] {
  const counts: Record<string, string> = {};
  for (const [offset, pattern] of block.entries()) {
    const match = pattern.exec(lines[index + offset] ?? '');
    if (match === null) return [];
    Object.assign(counts, match.groups);
  }
  const evidence = lines[index + block.length - 1] ?? '';
  return [summary('tap', { passed: Number(counts['passed']), failed: Number(counts['failed'] ?? 0) }, evidence)];
}

/** Whole lines with both counts: one word alone proves nothing. */
const SCRIPT_COUNTS: readonly RegExp[] = [
  /^\W{0,10}(?:(?:results?|summary|total|tests?):? +)?passed:? (?<passed>\d{1,9})[\s,;|/]{1,6}failed:? (?<failed>\d{1,9})\b[^a-z]*$/i,
  /^\W{0,10}(?:(?:results?|summary|total|tests?):? +)?failed:? (?<failed>\d{1,9})[\s,;|/]{1,6}passed:? (?<passed>\d{1,9})\b[^a-z]*$/i,
  /^\W{0,10}(?:(?:results?|summary|total|tests?):? +)?(?<passed>\d{1,9}) (?:tests? )?passed[\s,;|/]{1,6}(?:and )?(?<failed>\d{1,9}) (?:tests? )?failed\b(?: in [\d.]+ ?m?s| \([\d.]+ ?m?s\))?\W{0,10}$/i,
  /^\W{0,10}(?:(?:results?|summary|total|tests?):? +)?(?<failed>\d{1,9}) (?:tests? )?failed[\s,;|/]{1,6}(?:and )?(?<passed>\d{1,9}) (?:tests? )?passed\b(?: in [\d.]+ ?m?s| \([\d.]+ ?m?s\))?\W{0,10}$/i,
];
/** Marks of single tests, as commonly written in scripts. */
const BAD_MARK = /^\s*(?:✗|✘|✖|❌|\[FAIL(?:ED)?\]|FAIL(?:ED)?:?) \S/;
const GOOD_MARK = /^\s*(?:✓|✔|✅|\[(?:PASS(?:ED)?|OK)\]|PASS(?:ED)?:?|ok:?) \S/;
const ALL_PASSED = /^\W{0,10}all (?:\d{1,9} )?tests? passed\W{0,10}$/i;
const SOME_FAILED =
  /^\W{0,10}(?:some|[1-9]\d{0,8}(?: ?(?:of|\/) ?\d{1,9})?) (?:tests?|checks?|specs?|cases?|suites?|scenarios?|assertions?) (?:have )?failed\W{0,10}$/i;

/** Scripts that test without a framework. */
export const generic: Detector = {
  framework: 'script',
  detect: ({ lines, text }) => {
    // Marks without a word for the result prove nothing.
    if (!/[Pp]assed|PASSED|[Ff]ailed|FAIL/.test(text)) return [];
    const counted = lines.flatMap(scriptCounts).at(-1);
    if (counted !== undefined) return [counted];
    const failed = lines.find((line) => SOME_FAILED.test(line));
    if (failed !== undefined) return [uncounted('script', 'fail', failed)];
    const passed = lines.find((line) => ALL_PASSED.test(line));
    // A suite that passes, followed by one that fails.
    const later = passed !== undefined && lines.slice(lines.indexOf(passed)).some((line) => BAD_MARK.test(line));
    if (passed !== undefined && !later) return [uncounted('script', 'pass', passed)];
    return scriptMarks(lines);
  },
};

function scriptCounts(line: string): readonly Finding[] {
  if (line.length > 200) return [];
  return SCRIPT_COUNTS.flatMap((pattern) => {
    const groups = pattern.exec(line)?.groups;
    return groups === undefined
      ? []
      : [summary('script', { passed: Number(groups['passed']), failed: Number(groups['failed']) }, line)];
  }).slice(0, 1);
}

function scriptMarks(lines: readonly string[]): readonly Finding[] {
  const bad = lines.find((line) => BAD_MARK.test(line));
  if (bad !== undefined) return [uncounted('script', 'fail', bad, 'hint')];
  const good = lines.find((line) => GOOD_MARK.test(line));
  return good === undefined ? [] : [uncounted('script', 'pass', good, 'hint')];
}
