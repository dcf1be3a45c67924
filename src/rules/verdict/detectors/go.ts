import { type Detector, type Finding, uncounted } from './finding.ts';

const OK = /^ok {2}\t\S+\t/;
const FAILED = /^FAIL\t\S+\t\d+(?:\.\d+)?s/;
const UNBUILT =
  /^FAIL\t\S+ \[(?:build|setup) failed\]|^\S+: no required module provides package|^no required module provides package/;
const NO_TESTS = /^\?? {0,3}(?:\t\S+\t\[no test files\])|^ok {2}\t.*\[no tests to run\]|^no packages to test/;
const TOP_LEVEL = /^--- (PASS|FAIL|SKIP): (?:Test|Example|Fuzz)\S* \([\d.]+s\)$/;

/** `go test`: one line per package; with `-v` one per test. */
export const go: Detector = {
  framework: 'go',
  kind: 'runner',
  hints: ['ok  \t', 'FAIL', '[no test files]', 'no packages to test', '"Action":"'],
  detect: ({ lines, text }) => (text.includes('"Action":"') ? fromJson(lines) : fromLines(withoutPrinted(lines))),
};

/**
 * With `-v`, what stands between the start and the end of a test was printed by it: a test of a build tool prints
 * whole runs.
 */
function withoutPrinted(lines: readonly string[]): readonly string[] {
  const ends = new Map<string, number>();
  for (const [index, line] of lines.entries()) {
    const name = /^--- (?:PASS|FAIL|SKIP): (\S+) \(/.exec(line)?.[1];
    if (name !== undefined) ends.set(name, index);
  }
  const begun = new Set<string>();
  const kept: string[] = [];
  let until = -1;
  for (const [index, line] of lines.entries()) {
    const name = /^=== RUN {3}([^\s/]+)$/.exec(line)?.[1];
    if (name !== undefined) {
      begun.add(name);
      until = Math.max(until, ends.get(name) ?? -1);
    }
    const ended = /^ *--- FAIL: ([^\s/]+)/.exec(line)?.[1];
    const printed = PACKAGE_LINE.test(line) || (ended !== undefined && !begun.has(ended));
    if (index >= until || !printed) kept.push(line);
  }
  return kept;
}

/** What only stands between tests. */
const PACKAGE_LINE = /^(?:ok {2}|FAIL|\?) {0,3}\t|^FAIL$|^PASS$/;

function fromLines(lines: readonly string[]): readonly Finding[] {
  const tests = lines.flatMap((line) => TOP_LEVEL.exec(line)?.[1] ?? []);
  const of = (word: string) => tests.filter((each) => each === word).length;
  const counts = { passed: of('PASS') || null, failed: of('FAIL') };
  const failed = lines.find((line) => FAILED.test(line));
  if (failed !== undefined) {
    const found = { ...uncounted('go', 'fail', failed), ...counts, failed: counts.failed || null };
    // A run with a package that failed ends with `FAIL`: before an `ok` at the end, another run was printed.
    const last = lines.findLast((line) => line !== '') ?? '';
    return OK.test(last) ? [found, uncounted('go', 'pass', last)] : [found];
  }
  const unbuilt = lines.find((line) => UNBUILT.test(line));
  if (unbuilt !== undefined) return [uncounted('go', 'error', unbuilt)];
  const detail = lines.find((line) => /^ *--- FAIL: (?:Test|Example|Fuzz)\S* \([\d.]+s\)$/.test(line));
  if (detail !== undefined) return [uncounted('go', 'fail', detail, 'detail')];
  if (lines.findLast((line) => line !== '') === 'FAIL') return [uncounted('go', 'fail', 'FAIL', 'detail')];
  const ok = lines.find((line) => OK.test(line) && !NO_TESTS.test(line));
  const skipped = of('SKIP') > 0 && of('PASS') === 0;
  if (ok !== undefined)
    return [skipped ? uncounted('go', 'no-tests', ok) : { ...uncounted('go', 'pass', ok), ...counts }];
  const none = lines.find((line) => NO_TESTS.test(line));
  return none === undefined ? [] : [uncounted('go', 'no-tests', none)];
}

/** `go test -json`: one event per line; those without a test are about a package. */
function fromJson(lines: readonly string[]): readonly Finding[] {
  const events = lines.flatMap((line) => {
    const [, action] = /"Action":"(pass|fail|skip)"/.exec(line) ?? [];
    return action === undefined ? [] : [{ action, line, test: /"Test":"([^"]*)"/.exec(line)?.[1] }];
  });
  const tests = events.filter(({ test }) => test !== undefined && !test.includes('/'));
  const of = (action: string) => tests.filter((event) => event.action === action).length;
  const failed = events.find(({ action }) => action === 'fail');
  const last = failed ?? events.findLast(({ action }) => action === 'pass');
  if (last === undefined) return [];
  const unbuilt = failed !== undefined && of('fail') === 0 && lines.some((line) => line.includes('[build failed]'));
  const outcome = unbuilt ? 'error' : failed !== undefined ? 'fail' : of('pass') > 0 ? 'pass' : 'no-tests';
  return [{ ...uncounted('go', outcome, last.line), passed: of('pass'), failed: unbuilt ? null : of('fail') }];
}
