import { type Detector, type Finding, firstOf, summary, uncounted } from './finding.ts';

/** How failed assertions look in many languages, where nothing else is left. */
export const assertions: Detector = {
  framework: 'assertion',
  detect: ({ lines }) =>
    firstOf('assertion', lines, [
      [/^\s*(?:\w+\.)*Assertion(?:Failed)?Error\b(?: \[ERR_ASSERTION\])?(?::|$)/, 'fail', 'detail'],
      [/^\s*(?:code: 'ERR_ASSERTION'|operator: '[\w=!]+'),?$/, 'fail', 'detail'],
      [/^ {4}expect\(received\)\.|^ {2,4}(?:Expected|Received)(?: \w+)?: +\S/, 'fail', 'detail'],
      // pytest: below a test's own line, or that of a module that does not load.
      [/^E {7,}\S|^E {3}(?:assert\b|AssertionError)/, 'fail', 'detail'],
      [/^E {3}\S/, 'error', 'detail'],
      [/^Failed example:$/, 'fail', 'detail'],
      [/"status": ?"failed"/, 'fail', 'detail'],
    ]),
};

/** The fields with counts in reports of one form; those that are missing count as 0. */
interface Report {
  readonly framework: string;
  /** Where the counts are: from the last place of this text on. */
  readonly from?: string;
  readonly failed: string;
  readonly passed?: string;
  /** Passed in the end. */
  readonly retried?: string;
  readonly total?: string;
  readonly skipped?: string;
  readonly errors?: string;
}

/** A text of one field, in characters. */
const SHORT = 80;

const REPORTS: readonly Report[] = [
  { framework: 'jest-json', failed: 'numFailedTests', passed: 'numPassedTests', errors: 'numRuntimeErrorTestSuites' },
  { framework: 'mocha-json', from: '["end",{', failed: 'failures', passed: 'passes' },
  { framework: 'playwright-json', from: '"stats"', failed: 'unexpected', passed: 'expected', retried: 'flaky' },
  {
    framework: 'rspec-json',
    failed: 'failure_count',
    total: 'example_count',
    skipped: 'pending_count',
    errors: 'errors_outside_of_examples_count',
  },
  // The attributes of JUnit's XML, as `grep` and other programs print them.
  { framework: 'junit-xml', failed: 'failures', total: 'tests', skipped: 'skipped' },
];

/** Reports as data, whole or read back in parts. */
export const reports: Detector = {
  framework: 'report',
  detect: ({ text }) => {
    if (/<testsuites? /.test(text)) return [];
    for (const report of REPORTS) {
      const part = report.from === undefined ? text : text.slice(Math.max(0, text.lastIndexOf(report.from)));
      const number = (name: string | undefined) => (name === undefined ? null : numberIn(part, name));
      const [failed, passed, total] = [number(report.failed), number(report.passed), number(report.total)];
      if (failed === null) continue;
      if ((passed ?? total) === null) {
        // `grep -o` of the one field
        if (part.trim().length > SHORT) continue;
        return [uncounted('report', failed > 0 ? 'fail' : 'pass', part, 'detail')];
      }
      const left = Math.max(0, (total ?? 0) - failed - (number(report.skipped) ?? 0));
      const broken = number(report.errors) ?? 0;
      const unloaded = report.framework === 'jest-json' && passed === 0 && failed === 0;
      const errors = broken + (unloaded ? (number('numFailedTestSuites') ?? 0) : 0);
      const evidence = `${report.failed}: ${failed}, ${report.passed ?? report.total}: ${passed ?? total}`;
      const retried = number(report.retried) ?? 0;
      return [summary(report.framework, { passed: (passed ?? left) + retried, failed, errors }, evidence)];
    }
    return [];
  },
};

/** A number field: the first with this name. */
function numberIn(text: string, name: string): number | null {
  const digits = new RegExp(`(?<![\\w.])["']?${name}["']?\\s{0,4}[:=]\\s{0,4}["']?(\\d{1,9})`).exec(text)?.[1];
  return digits === undefined ? null : Number(digits);
}

/** JUnit's XML. The outer element has the totals; without one the suites are added up. */
export const junitXml: Detector = {
  framework: 'junit-xml',
  detect: ({ lines, text }) => {
    const outer = elements(text, /<testsuites ([^<>]{0,400})>/g).filter((attributes) =>
      /\btests=["']/.test(attributes),
    );
    const inner = elements(text, /<testsuite ([^<>]{0,400})>/g);
    const suites = outer.length > 0 ? outer : inner;
    if (suites.length === 0) {
      const isEmpty = /<testsuites\b/.test(text) && !text.includes('<testcase');
      return firstOf('junit-xml', lines, isEmpty ? [[/<testsuites\b/, 'no-tests']] : REPORT_FAILURES);
    }
    const sum = (name: string, of = suites) => of.reduce((all, suite) => all + attribute(suite, name), 0);
    const failed = sum('failures') + sum('errors');
    // Some producers say only in the suites how many did not run.
    const idle = ['skipped', 'skip', 'disabled'].reduce((all, name) => all + (sum(name) || sum(name, inner)), 0);
    const passed = Math.max(0, sum('tests') - failed - idle);
    return [summary('junit-xml', { passed, failed }, `<testsuite tests="${sum('tests')}" failures="${failed}">`)];
  },
};

/** The remains of a report after `tail`. */
const REPORT_FAILURES = [
  [/<\/failure>|<failure\b/, 'fail', 'detail'],
  [/<\/error>|<error\b/, 'error', 'detail'],
  // `grep -o` of an attribute
  [/^failures="[1-9]\d*"$/, 'fail', 'detail'],
  [/^errors="[1-9]\d*"$/, 'error', 'detail'],
] as const;

function elements(text: string, pattern: RegExp): readonly string[] {
  return [...text.matchAll(pattern)].map(([, attributes = '']) => attributes);
}

function attribute(attributes: string, name: string): number {
  return Number(new RegExp(`\\b${name}=["'](\\d{1,9})["']`).exec(attributes)?.[1] ?? 0);
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
  // `ok 1 - a.test.js {`: the tests of a file are inside its point.
  const isNested = lines.some((line) => /^(?:not )?ok\b.* \{$/.test(line));
  const points = lines.flatMap((line) =>
    isNested && line.endsWith(' {') ? [] : pointAt(isNested ? line.trim() : line),
  );
  if (plan === undefined && !lines.some((line) => /^TAP version \d+$/.test(line))) return tapWithoutPlan(lines);
  const bad = points.filter((point) => point.bad);
  const firstBad = bad[0];
  const good = new Set(points.filter((point) => !point.bad).map(({ number }) => number));
  if (firstBad !== undefined && !isNested && bad.every(({ number }) => good.has(number))) {
    // A test that passed has the same number: a test printed this line.
    return [uncounted('tap', 'fail', firstBad.line, 'hint')];
  }
  if (points.length === 0 && plan !== '1..0') return [];
  const passed = points.filter((point) => !point.bad && !point.skipped).length;
  const planned = Number(TAP_PLAN.exec(plan ?? '')?.[1] ?? Number.POSITIVE_INFINITY);
  if (bad.length === 0 && points.length < planned) {
    return [uncounted('tap', 'unknown', plan ?? points.at(-1)?.line ?? '', 'hint')];
  }
  return [summary('tap', { passed, failed: bad.length }, firstBad?.line ?? plan ?? points[0]?.line ?? 'TAP version')];
}

function pointAt(
  line: string,
): readonly { readonly bad: boolean; readonly skipped: boolean; readonly number: string; readonly line: string }[] {
  const [whole, not, number = '', rest = ''] = TAP_POINT.exec(line) ?? [];
  if (whole === undefined || /^\w/.test(rest)) return [];
  const [, directive] = /# *(skip|todo)\b/i.exec(rest) ?? [];
  return [{ bad: not !== undefined && directive === undefined, skipped: directive !== undefined, number, line }];
}

/** The remains of the test points after `tail`. */
function tapWithoutPlan(lines: readonly string[]): readonly Finding[] {
  return firstOf('tap', lines, [
    [/^not ok \d+\b(?!.*# *(?:todo|skip))/i, 'fail', 'detail'],
    [/^# {1,2}\(in test file .*, line \d+\)$/, 'fail', 'detail'],
    [/^# Looks like you failed \d+ tests? of \d+\.$/, 'fail', 'detail'],
    [/^# Looks like (?:you planned \d+ tests? but ran \d+|your test (?:exited|died))/, 'error', 'detail'],
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
