import { type Detector, type Finding, firstOf, summary, uncounted } from './finding.ts';

/** Indented by exactly two: what tests log is not. */
const PASSING = /^ {2}(\d+) passing \([\d.]+m?[smh]\)$/;
const FAILING = /^ {2}(\d+) failing$/;

/** Mocha, and what runs on it (Cypress, WebdriverIO). */
export const mocha: Detector = {
  framework: 'mocha',
  kind: 'runner',
  hints: [' passing', ' failing', 'at Context.', '+ expected - actual', ') ', 'No test files found'],
  detect: ({ lines }) => {
    const details = [...failureEntry(lines), ...firstOf('mocha', lines, DETAILS)];
    const failed = details.find(({ outcome }) => outcome === 'fail');
    // Cut after `N passing`, the line that counts the failures is gone; the marks of failed tests are not.
    const isCut = endsWithPassing(lines);
    if (isCut && failed !== undefined) return [{ ...failed, strength: 'summary' }];
    return [...lines.flatMap((line, index) => atLine(lines, line, index)), ...details];
  },
};

/** Ends it with `N passing`, and is there neither another summary nor the list of failures before it? */
function endsWithPassing(lines: readonly string[]): boolean {
  const passing = lines.filter((line) => PASSING.test(line));
  const listed = lines.some((line) => /^ {6}at \S/.test(line));
  return passing.length === 1 && !listed && passing[0] === lines.findLast((line) => line !== '');
}

function atLine(lines: readonly string[], line: string, index: number): readonly Finding[] {
  const passing = PASSING.exec(line)?.[1];
  if (passing !== undefined) {
    const failing = lines.slice(index + 1, index + 3).find((next) => FAILING.test(next));
    const failed = Number(FAILING.exec(failing ?? '')?.[1] ?? 0);
    return [summary('mocha', { passed: Number(passing), failed }, failing ?? line)];
  }
  const failing = FAILING.exec(line)?.[1];
  // Counted with `N passing`, unless `tail` took that line.
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

const DETAILS = [
  [/^ {6}at Context\.<anonymous> \(/, 'fail', 'detail'],
  [/^ {6}\+ expected - actual$/, 'fail', 'detail'],
  [/^ {4,}\d+\) \S/, 'fail', 'detail'],
  [/^Error: No test files? found/, 'no-tests', 'summary'],
] as const;
