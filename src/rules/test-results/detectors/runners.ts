import { countWords, type Detector, type Finding, firstOf, numbersIn, summary, uncounted } from './finding.ts';

/** `=== 1 failed, 2 passed in 0.12s ===`, without the bars under `-q`; minutes follow in parentheses. */
const PYTEST_SUMMARY =
  /^(?:=+ )?((?:\d+ (?:passed|failed|errors?|skipped|deselected|xfailed|xpassed|warnings?|rerun|subtests passed|subtests failed)(?:, )?)+) in \d+(?:\.\d+)?s(?: \([\d:., a-z]+\))?(?: =+)?$/;
const PYTEST_NONE = /^(?:=+ )?no tests ran in \d+(?:\.\d+)?s(?: =+)?$/;

export const pytest: Detector = {
  framework: 'pytest',
  detect: ({ lines }) => {
    const broken = firstOf('pytest', lines, PYTEST_UNUSABLE);
    const summaries = lines.flatMap((line) => pytestLine(line, broken));
    if (summaries.length > 0) return summaries;
    if (broken.length > 0) return broken;
    // With `-qq` there is nothing but the progress.
    const progress = lines.filter((line) => PYTEST_PROGRESS.test(line));
    const skipped = progress.filter((line) => /^(?:\S+\.py )?s+ /.test(line));
    if (skipped[0] !== undefined && skipped.length === progress.length)
      return [uncounted('pytest', 'no-tests', skipped[0])];
    return firstOf('pytest', lines, PYTEST_DETAILS);
  },
};

function pytestLine(line: string, broken: readonly Finding[]): readonly Finding[] {
  if (PYTEST_NONE.test(line)) return broken.length > 0 ? broken : [uncounted('pytest', 'no-tests', line)];
  const list = PYTEST_SUMMARY.exec(line)?.[1];
  if (list === undefined) return [];
  const count = numbersIn(list);
  // An expected failure ran and behaved as expected.
  const expected = count('xfailed') + count('xpassed');
  const failed = count('failed');
  const found = summary(
    'pytest',
    { passed: count('passed') + expected, failed, errors: count('error') + count('errors') },
    line,
  );
  return [{ ...found, passed: count('passed') }];
}

const PYTEST_UNUSABLE = [
  [/^ERROR: (?:usage:|not found:|file or directory not found:|.*unrecognized arguments)/, 'error', 'summary'],
  [/^INTERNALERROR> /, 'error', 'summary'],
  [/^ImportError while loading conftest /, 'error', 'summary'],
  [/^!+ (?:KeyboardInterrupt|_pytest\.outcomes\.Exit: .*) !+$/, 'error', 'summary'],
] as const;

const PYTEST_PROGRESS = /^(?:\S+\.py )?[.FEsxXR]+ +\[ *\d+%\]$/;

const PYTEST_DETAILS = [
  [/^=+ FAILURES =+$/, 'fail', 'detail'],
  // The progress of one file or of all: a mark for each test.
  [/^(?:\S+\.py )?[.FEsxXR]*F[.FEsxXR]* +\[ *\d+%\]$/, 'fail', 'detail'],
  [/^\S+\.py::\S.* FAILED +\[ *\d+%\]$/, 'fail', 'detail'],
  [/^=+ ERRORS =+$/, 'error', 'detail'],
  [/^(?:\S+\.py )?[.EsxXR]*E[.EsxXR]* +\[ *\d+%\]$/, 'error', 'detail'],
  [/^FAILED \S+::\S+/, 'fail', 'detail'],
  [/^ERROR \S+\.py(?:::\S+)?(?: - .*)?$/, 'error', 'detail'],
  [/^!+ Interrupted: \d+ errors? during collection !+$/, 'error', 'detail'],
] as const;

const UNITTEST_RAN = /^Ran (\d+) tests? in [\d.]+s$/;
const UNITTEST_END = /^(OK|FAILED|NO TESTS RAN)(?: \((.*)\))?$/;

/** Python's unittest, nose2 and Django. The result is always on the second line after the count. */
export const unittest: Detector = {
  framework: 'unittest',
  detect: ({ lines }) => {
    const loads = loadErrors(lines);
    const summaries = lines.flatMap((line, index) => unittestLine(lines, line, index, loads));
    // Without the line before it, a filter left only the end.
    const end = lines.some((line) => /^Ran \d/.test(line)) ? 'hint' : 'detail';
    return [...summaries, ...firstOf('unittest', lines, [[UNITTEST_FAILED, 'fail', end], ...UNITTEST_DETAILS])];
  },
};

function unittestLine(lines: readonly string[], line: string, index: number, loads: Loads): readonly Finding[] {
  const ran = UNITTEST_RAN.exec(line)?.[1];
  if (ran === undefined) return [];
  const end = lines.slice(index + 1, index + 4).find((next) => next !== '');
  const [, word, list = ''] = UNITTEST_END.exec(end ?? '') ?? [];
  if (word === undefined) return [];
  if (word === 'NO TESTS RAN') return [uncounted('unittest', 'no-tests', end ?? line)];
  const count = (name: string) => Number(new RegExp(`(?:^|, )${name}=(\\d{1,9})`).exec(list)?.[1] ?? 0);
  const all = count('errors');
  // An exception in a test is a failed test; a module that cannot be imported is not a test. Without the headings,
  // errors beside failures count as tests.
  const unseen = count('failures') > 0 ? 0 : all;
  const errors = loads.tests > 0 ? Math.min(all, loads.modules) : unseen;
  const failed = count('failures') + count('unexpected successes') + all - errors;
  const passed = Math.max(0, Number(ran) - failed - errors - count('skipped'));
  return [summary('unittest', { passed, failed, errors }, `${line}: ${end}`)];
}

interface Loads {
  /** Headings of tests that raised an exception. */
  readonly tests: number;
  /** Headings of modules, classes and fixtures that could not be set up. */
  readonly modules: number;
}

function loadErrors(lines: readonly string[]): Loads {
  const headings = lines.filter((line) => /^(?:ERROR|FAIL): \S+/.test(line));
  const modules = headings.filter((line) =>
    /_FailedTest|ModuleImportFailure|LoadTestsFailure|^ERROR: (?:setUp|tearDown)(?:Class|Module) /.test(line),
  );
  return { tests: headings.length, modules: modules.length };
}

const UNITTEST_FAILED = /^FAILED \((?:failures|errors)=\d/;

const UNITTEST_DETAILS = [[/^(?:FAIL|ERROR): test\w* \(/, 'fail', 'detail']] as const;

const GO_OK = /^ok {2}\t\S+\t/;
const GO_FAILED = /^FAIL\t\S+\t\d+(?:\.\d+)?s/;
const GO_UNBUILT =
  /^FAIL\t\S+ \[(?:build|setup) failed\]|^\S+: no required module provides package|^no required module provides package/;
const GO_NO_TESTS = /^\?? {0,3}(?:\t\S+\t\[no test files\])|^ok {2}\t.*\[no tests to run\]|^no packages to test/;
const GO_TEST = /^--- (PASS|FAIL|SKIP): (?:Test|Example|Fuzz)\S* \([\d.]+s\)$/;

/** `go test`: one line per package, or per test with `-v`. */
export const go: Detector = {
  framework: 'go',
  detect: ({ lines, text }) => (text.includes('"Action":"') ? goEvents(lines) : goLines(withoutPrinted(lines))),
};

/**
 * With `-v`, the test itself printed the lines between its start and its end: a test of a build tool prints whole runs.
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
    const printed = GO_PACKAGE.test(line) || (ended !== undefined && !begun.has(ended));
    if (index >= until || !printed) kept.push(line);
  }
  return kept;
}

/** Lines that only appear between tests. */
const GO_PACKAGE = /^(?:ok {2}|FAIL|\?) {0,3}\t|^FAIL$|^PASS$/;

function goLines(lines: readonly string[]): readonly Finding[] {
  const tests = lines.flatMap((line) => GO_TEST.exec(line)?.[1] ?? []);
  const of = (word: string) => tests.filter((each) => each === word).length;
  const counts = { passed: of('PASS') || null, failed: of('FAIL') };
  const failed = lines.find((line) => GO_FAILED.test(line));
  if (failed !== undefined) {
    const found = { ...uncounted('go', 'fail', failed), ...counts, failed: counts.failed || null };
    // A run with a failed package ends with `FAIL`: before a final `ok`, another run was printed.
    const last = lines.findLast((line) => line !== '') ?? '';
    return GO_OK.test(last) ? [found, uncounted('go', 'pass', last)] : [found];
  }
  const unbuilt = lines.find((line) => GO_UNBUILT.test(line));
  if (unbuilt !== undefined) return [uncounted('go', 'error', unbuilt)];
  const detail = lines.find((line) => /^ *--- FAIL: (?:Test|Example|Fuzz)\S* \([\d.]+s\)$/.test(line));
  if (detail !== undefined) return [uncounted('go', 'fail', detail, 'detail')];
  if (lines.findLast((line) => line !== '') === 'FAIL') return [uncounted('go', 'fail', 'FAIL', 'detail')];
  const ok = lines.find((line) => GO_OK.test(line) && !GO_NO_TESTS.test(line));
  const skipped = of('SKIP') > 0 && of('PASS') === 0;
  if (ok !== undefined)
    return [skipped ? uncounted('go', 'no-tests', ok) : { ...uncounted('go', 'pass', ok), ...counts }];
  const none = lines.find((line) => GO_NO_TESTS.test(line));
  return none === undefined ? [] : [uncounted('go', 'no-tests', none)];
}

/** `go test -json`: one event per line; events without a test are about a package. */
function goEvents(lines: readonly string[]): readonly Finding[] {
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

const CARGO_RESULT = /^test result: (?:ok|FAILED)\. (\d+) passed; (\d+) failed; \d+ ignored;/;
/** `Summary [ 0.005s] 3 tests run: 2 passed (1 slow), 1 failed, 0 skipped` */
const NEXTEST = /^ *Summary \[ *[\d.]+s\] [\d/]+ tests? run: (\d+) passed[^,]*(?:, (\d+) failed)?/;

/** `cargo test`, one result per binary, and cargo-nextest. */
export const cargo: Detector = {
  framework: 'cargo',
  detect: ({ lines }) => {
    const found = lines.flatMap((line) => {
      const [, passed, failed = 0] = CARGO_RESULT.exec(line) ?? NEXTEST.exec(line) ?? [];
      return passed === undefined ? [] : [summary('cargo', { passed: Number(passed), failed: Number(failed) }, line)];
    });
    const broken = firstOf('cargo', lines, CARGO_BROKEN);
    return found.some(({ outcome }) => outcome === 'fail') || broken.length === 0 ? found : [...found, ...broken];
  },
};

const CARGO_BROKEN = [
  [/^error: could not compile `/, 'error', 'summary'],
  [
    /^error: (?:no test target named|no such command|could not find `Cargo\.toml`|failed to (?:parse|load|select))/,
    'error',
    'summary',
  ],
  [/^error: (?:\d+ targets? failed|test failed, to rerun)/, 'fail', 'detail'],
  [/^test \S.* \.\.\. FAILED$|^---- \S.* stdout ----$/, 'fail', 'detail'],
  [/^ +(?:TRY \d+ )?FAIL \[ *[\d.]+s\] /, 'fail', 'detail'],
  [/^error: no tests to run$/, 'no-tests', 'summary'],
] as const;

const GTEST_RAN = /^\[=+\] (\d+) tests?(?:\(s\))? (?:from \d+ test (?:suites?|cases?) )?r[au]n\./;
/** `[  PASSED  ] 2 tests.`, cmocka: `[  FAILED  ] 1 test(s), listed below:` */
const GTEST_ENDED =
  /^\[ {2}(?<word>PASSED|FAILED|SKIPPED|ERROR) {1,3}\] (?<number>\d+) (?:tests?|errors?)(?:\(s\))?(?:\.|, listed below:)$/;

/** GoogleTest and cmocka: the number of tests that ran, then a line for each kind of result. */
export const gtest: Detector = {
  framework: 'gtest',
  detect: ({ lines }) => {
    const found = gtestCounts(lines);
    // Without the number of tests that ran, `[  PASSED  ]` tells nothing about failures.
    const details =
      found?.outcome === 'pass' && !lines.some((line) => GTEST_RAN.test(line))
        ? firstOf('gtest', lines, GTEST_DETAILS)
        : [];
    if (details.length > 0) return details;
    return found === null ? [...firstOf('gtest', lines, GTEST_DETAILS), ...unended(lines)] : [found];
  },
};

function gtestCounts(lines: readonly string[]): Finding | null {
  const { numberOf, evidence } = countWords(lines, GTEST_ENDED, 'FAILED');
  if (evidence === null) return null;
  const [passed, failed] = [numberOf('passed'), numberOf('failed')];
  const ran = lines.reduce((sum, line) => sum + Number(GTEST_RAN.exec(line)?.[1] ?? 0), 0);
  // With `--gtest_brief` no line counts the failures: they are what the others leave.
  const unnamed = passed === 0 ? 0 : Math.max(0, ran - passed - numberOf('skipped'));
  return summary('gtest', { passed, failed: Math.max(failed, unnamed), errors: numberOf('error') }, evidence);
}

/** The last test that began did not end: it crashed, unless `head` removed the rest. */
function unended(lines: readonly string[]): readonly Finding[] {
  const last = lines.findLast((line) => /^\[[ =A-Z-]{10}\] /.test(line));
  return last?.startsWith('[ RUN ') ? [uncounted('gtest', 'error', last, 'hint')] : [];
}

const GTEST_DETAILS = [
  [/^ *[1-9]\d* FAILED TESTS?(?:\(S\)|\(s\))?$/, 'fail', 'summary'],
  [/^\[ {2}FAILED {2}\] \S+/, 'fail', 'detail'],
] as const;

/** `Failed!  - Failed:     1, Passed:     2, Skipped:     0, Total:     3, Duration: 5 ms - x.dll` */
const DOTNET_LINE = /^\s*(?:Passed|Failed|Skipped)! +- Failed: +(\d+), Passed: +(\d+), Skipped: +\d+, Total: +\d+/;
/** Blocks of `label: number`, as printed by VSTest and by the newer platform. */
const DOTNET_TOTAL = /^\s*(?:Total tests| total): +(\d+)$/;
const DOTNET_ENDED = /^\s+(?<word>passed|succeeded|failed|skipped): +(?<number>\d+)$/i;

export const dotnet: Detector = {
  framework: 'dotnet',
  detect: ({ lines }) => {
    const found = lines.flatMap((line, index) => dotnetLine(lines, line, index));
    return found.length > 0 ? found : firstOf('dotnet', lines, DOTNET_OTHERS);
  },
};

function dotnetLine(lines: readonly string[], line: string, index: number): readonly Finding[] {
  const [, failed, passed] = DOTNET_LINE.exec(line) ?? [];
  if (failed !== undefined) return [summary('dotnet', { passed: Number(passed), failed: Number(failed) }, line)];
  if (!DOTNET_TOTAL.test(line)) return [];
  const { numberOf, evidence } = countWords(lines.slice(index + 1, index + 4), DOTNET_ENDED, '');
  const counts = { passed: numberOf('passed') + numberOf('succeeded'), failed: numberOf('failed') };
  return evidence === null ? [] : [summary('dotnet', counts, line)];
}

const DOTNET_OTHERS = [
  [/^\S.*\(\d+,\d+\): error CS\d+: /, 'error', 'summary'],
  [/^(?:MSBUILD : |\S+ : )?error MSB\d+: /, 'error', 'summary'],
  [/^No test is available in /, 'no-tests', 'summary'],
  [/^Test Run (?:Failed|Aborted)\.$/, 'fail', 'summary'],
  [/^Test Run Successful\.$/, 'pass', 'summary'],
] as const;
