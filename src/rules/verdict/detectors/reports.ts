import { type Detector, firstOf, summary } from './finding.ts';

/** A number field of a report, the first of its name. */
function numberIn(text: string, name: string): number | null {
  const digits = new RegExp(`["\\b]${name}"?\\s{0,4}[:=]\\s{0,4}"?(\\d{1,9})`).exec(text)?.[1];
  return digits === undefined ? null : Number(digits);
}

/** JSON of Jest and Vitest: `numFailedTests` and its like. */
export const jestJson: Detector = {
  framework: 'jest-json',
  kind: 'protocol',
  hints: ['"numFailedTests"'],
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
  kind: 'protocol',
  hints: ['"passes"'],
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
  kind: 'protocol',
  hints: ['"unexpected"'],
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
  kind: 'protocol',
  hints: ['"failure_count"'],
  detect: ({ text }) => {
    const failed = numberIn(text, 'failure_count');
    const total = numberIn(text, 'example_count');
    if (failed === null || total === null) return [];
    const errors = numberIn(text, 'errors_outside_of_examples_count') ?? 0;
    const passed = total - failed - (numberIn(text, 'pending_count') ?? 0);
    return [summary('rspec-json', { passed, failed, errors }, `"example_count":${total},"failure_count":${failed}`)];
  },
};

/** JUnit's XML. The outer element has the sums; without one the suites are added up. */
export const junitXml: Detector = {
  framework: 'junit-xml',
  kind: 'protocol',
  hints: ['<testsuite', '</testsuite', 'failures="', 'errors="'],
  detect: ({ lines, text }) => {
    const outer = elements(text, /<testsuites ([^<>]{0,400})>/g).filter((attributes) => /\btests="/.test(attributes));
    const suites = outer.length > 0 ? outer : elements(text, /<testsuite ([^<>]{0,400})>/g);
    if (suites.length === 0) return firstOf('junit-xml', lines, FAILURES);
    const sum = (name: string) => suites.reduce((all, suite) => all + attribute(suite, name), 0);
    const failed = sum('failures') + sum('errors');
    const passed = Math.max(0, sum('tests') - failed - sum('skipped') - sum('disabled'));
    return [summary('junit-xml', { passed, failed }, `<testsuite tests="${sum('tests')}" failures="${failed}">`)];
  },
};

/** What `tail` left of a report. */
const FAILURES = [
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
