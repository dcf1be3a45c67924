import { type Detector, type Finding, firstOf, summary, uncounted } from './finding.ts';

const POINT = /^(not )?ok\b(?: (\d+))?(.*)$/;
const PLAN = /^1\.\.(\d+)(?:\s+#.*)?$/;

/** The Test Anything Protocol: tape, tap, Bats, prove's input, QUnit and reporters of many others. */
export const tap: Detector = {
  framework: 'tap',
  kind: 'protocol',
  hints: ['ok ', '# pass', '# fail', '1..', 'Bail out!', '# {'],
  detect: ({ lines }) => {
    const bail = lines.find((line) => line.startsWith('Bail out!'));
    if (bail !== undefined) return [uncounted('tap', 'error', bail)];
    return counted(lines) ?? listed(lines);
  },
};

/** The counts that most producers print at the end: `# pass 2` and `# fail 1`, or `# { total: 3, pass: 2, fail: 1 }`. */
function counted(lines: readonly string[]): readonly Finding[] | null {
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

/** The test points themselves. */
function listed(lines: readonly string[]): readonly Finding[] {
  const plan = lines.find((line) => PLAN.test(line));
  const points = lines.flatMap((line) => pointAt(line));
  if (plan === undefined && !lines.some((line) => /^TAP version \d+$/.test(line))) return withoutPlan(lines);
  const bad = points.filter((point) => point.bad);
  const firstBad = bad[0];
  const good = new Set(points.filter((point) => !point.bad).map(({ number }) => number));
  if (firstBad !== undefined && bad.every(({ number }) => good.has(number))) {
    // Its number belongs to a test that passed: a test printed this line.
    return [uncounted('tap', 'fail', firstBad.line, 'hint')];
  }
  if (points.length === 0 && plan !== '1..0') return [];
  const passed = points.filter((point) => !point.bad && !point.skipped).length;
  const planned = Number(PLAN.exec(plan ?? '')?.[1] ?? Number.POSITIVE_INFINITY);
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
  const [whole, not, number = '', rest = ''] = POINT.exec(line) ?? [];
  if (whole === undefined || /^\w/.test(rest)) return [];
  const [, directive] = /# *(skip|todo)\b/i.exec(rest) ?? [];
  return [{ bad: not !== undefined && directive === undefined, skipped: directive !== undefined, number, line }];
}

/** What `tail` left of it. */
function withoutPlan(lines: readonly string[]): readonly Finding[] {
  return firstOf('tap', lines, [
    [/^not ok \d+\b(?!.*# *(?:todo|skip))/i, 'fail', 'detail'],
    [/^# {2}?\(in test file .*, line \d+\)$/, 'fail', 'detail'],
  ]);
}
