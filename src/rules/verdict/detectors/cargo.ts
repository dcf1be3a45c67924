import { type Detector, firstOf, summary } from './finding.ts';

const RESULT = /^test result: (?:ok|FAILED)\. (\d+) passed; (\d+) failed; \d+ ignored;/;
/** `Summary [ 0.005s] 3 tests run: 2 passed (1 slow), 1 failed, 0 skipped` */
const NEXTEST = /^ *Summary \[ *[\d.]+s\] [\d/]+ tests? run: (\d+) passed[^,]*(?:, (\d+) failed)?/;

/** `cargo test`, one result per binary, and cargo-nextest. */
export const cargo: Detector = {
  framework: 'cargo',
  kind: 'runner',
  hints: [
    'test result: ',
    ' tests run: ',
    ' test run: ',
    'could not compile',
    'test failed, to rerun',
    'error: ',
    'FAIL',
    ' stdout ----',
  ],
  detect: ({ lines }) => {
    const found = lines.flatMap((line) => {
      const [, passed, failed = 0] = RESULT.exec(line) ?? NEXTEST.exec(line) ?? [];
      return passed === undefined ? [] : [summary('cargo', { passed: Number(passed), failed: Number(failed) }, line)];
    });
    const broken = firstOf('cargo', lines, BROKEN);
    return found.some(({ outcome }) => outcome === 'fail') || broken.length === 0 ? found : [...found, ...broken];
  },
};

const BROKEN = [
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
