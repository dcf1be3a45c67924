import { type Detector, type Finding, firstOf, summary, uncounted } from './finding.ts';

const RAN = /^Ran (\d+) tests? in [\d.]+s$/;
const END = /^(OK|FAILED|NO TESTS RAN)(?: \((.*)\))?$/;

/** Python's unittest, nose2 and Django. The verdict stands on the second line after the count, nowhere else. */
export const unittest: Detector = {
  framework: 'unittest',
  kind: 'runner',
  hints: ['Ran ', 'FAILED (', 'ERROR: ', 'FAIL: '],
  detect: ({ lines }) => {
    const loads = loadErrors(lines);
    const summaries = lines.flatMap((line, index) => atLine(lines, line, index, loads));
    return [...summaries, ...firstOf('unittest', lines, DETAILS)];
  },
};

function atLine(lines: readonly string[], line: string, index: number, loads: Loads): readonly Finding[] {
  const ran = RAN.exec(line)?.[1];
  if (ran === undefined) return [];
  const end = lines.slice(index + 1, index + 4).find((next) => next !== '');
  const [, word, list = ''] = END.exec(end ?? '') ?? [];
  if (word === undefined) return [];
  if (word === 'NO TESTS RAN') return [uncounted('unittest', 'no-tests', end ?? line)];
  const count = (name: string) => Number(new RegExp(`(?:^|, )${name}=(\\d{1,9})`).exec(list)?.[1] ?? 0);
  const all = count('errors');
  // An exception in a test is a failed test; a module that cannot be imported is not a test at all. Where the
  // headings are cut off, errors beside failures are taken for tests.
  const unseen = count('failures') > 0 ? 0 : all;
  const errors = loads.tests > 0 ? Math.min(all, loads.modules) : unseen;
  const failed = count('failures') + count('unexpected successes') + all - errors;
  const passed = Math.max(0, Number(ran) - failed - errors - count('skipped'));
  return [summary('unittest', { passed, failed, errors }, `${line}: ${end}`)];
}

interface Loads {
  /** Headings of tests that raised. */
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

const DETAILS = [
  [/^FAILED \((?:failures|errors)=\d/, 'fail', 'hint'],
  [/^(?:FAIL|ERROR): test\w* \(/, 'fail', 'detail'],
] as const;
