import { type Detector, type Finding, outcomeOf, uncounted } from './finding.ts';

/**
 * Reads the summaries that runners have in common, by their form: a line of nothing but numbers with words for results,
 * like `3 passed, 1 failed in 2s`, `Tests: 4, Failures: 1`, `PASS › 0 FAIL › 1`, `2 of 3 tests passed`. Single words
 * prove nothing, and a line with any other word is a sentence.
 */

const NOUN =
  '(?:unit |integration |sub)?(?:tests?|specs?|examples?|scenarios?|cases?|suites?|assertions?|checks?|files?|test ?cases?|features?)';
const FAILED = 'fail|fails|failed|failing|failures?|unsuccessful|ko|bad|broken|crash(?:es|ed)?|not ok';
const ERRORS = 'errors?|errored';
const PASSED = 'pass|passes|passed|passing|ok|success(?:es|ful)?|succeeded|good';
const OTHERS =
  'skip(?:s|ped)?|pending|ignored|todo|disabled|deselected|xfail(?:ed)?|xpass(?:ed)?|flaky|expects?|warnings?|cancell?ed|omitted|retries|total|runs?|ran';
const WORD = `(?:${FAILED}|${ERRORS}|${PASSED}|${OTHERS}|${NOUN})`;

/** `2 of 3 tests passed`, `2/3 passed` */
const SHARE = new RegExp(
  `(\\d{1,7}) ?(?:/|(?:out )?of) ?(\\d{1,7})(?: ${NOUN})?(?: (?:has|have|did|were|was))?,?:? (${FAILED}|${PASSED})(?![a-z])`,
  'g',
);
/** `3 failed`, `3 tests failed` */
const COUNTED = new RegExp(
  `(\\d{1,7}) (?:${NOUN} (?:has |have |were )?(?=${FAILED}|${PASSED}|${OTHERS}))?(${WORD})(?![a-z])`,
  'g',
);
/** `failed: 3`, `"failures"=3`, `tests passed: 3`, `pass › 3`; with a word before each number also `# fail 3`. */
const NAMED = new RegExp(
  `(?<![a-z])(?:${NOUN} )?(${WORD})(?: ${NOUN}| count)?["']?(?: {0,12}[:=›] {0,12}|\\.{2,} ?|[ \\t]{1,12})["']?(\\d{1,7})(?!\\d|\\.\\d)(?! ${WORD}(?! ?[:=›\\d]))`,
  'g',
);
/** What may stand beside counts. */
const NEUTRAL =
  /^(?:[^a-z\d]|(?:tests?|specs?|suites?|results?|summary|totals?|overall|files?|cases?|checks?|all|in|and|with|of|out|run|ran|done|finished|completed?|executed|took|time|duration|exceptions?|ok|passe?d?|fail(?:ed|ures?)?|seconds?|status|count)(?![a-z])|\d+(?:ms|sec|[smh])?(?![a-z\d])|(?:ms|sec|[smh])(?![a-z]))*$/;
/** Points of TAP have a number, too; its other comments are what the tests print. */
const NO_SUMMARY = /^\s*(?:not )?ok \d|^# (?!\w+ +\d+$)|\\/;
/** `OK (3 tests)`, `3 tests, all passed` */
const WHOLE = new RegExp(`^\\W*(?:${PASSED})(?![a-z])|(?<![a-z])all (?:${PASSED})(?![a-z])`);

interface Tally {
  passed: number | null;
  failed: number | null;
  errors: number;
  total: number | null;
  /** Numbers with a word for a result. */
  results: number;
  /** Whether a word says that tests are counted. */
  tests: boolean;
}

const LONGEST = 200;

/** The counts of one line; null when it is not a line of counts. */
function tallyOf(line: string): Tally | null {
  if (line.length > LONGEST || !/\d/.test(line) || NO_SUMMARY.test(line)) return null;
  const tally: Tally = { passed: null, failed: null, errors: 0, total: null, results: 0, tests: false };
  let rest = line.toLowerCase().replace(/^\S+\.\w+:\s/, '');
  const whole = WHOLE.test(rest);
  const take = (pattern: RegExp, read: (groups: readonly string[]) => void) => {
    rest = rest.replace(pattern, (...groups: string[]) => {
      read(groups);
      return ' ';
    });
  };
  tally.tests = new RegExp(`(?<![a-z])(?!file|check|feature)${NOUN}(?![a-z])`).test(rest);
  take(SHARE, ([, part = '', whole = '', word = '']) => {
    add(tally, word, Number(part));
    const left = Math.max(0, Number(whole) - Number(part));
    if (isOf(FAILED, word)) tally.passed ??= left;
    else tally.failed ??= left;
  });
  const named = /[:=›]|\.\./.test(rest) || !/^\W*\d/.test(rest);
  for (const pattern of named ? [NAMED, COUNTED] : [COUNTED, NAMED])
    take(pattern, ([, a = '', b = '']) => (/^\d/.test(a) ? add(tally, b, Number(a)) : add(tally, a, Number(b))));
  if (tally.results === 0 && whole && tally.total !== null) add(tally, 'ok', tally.total);
  return tally.results > 0 && NEUTRAL.test(rest) ? tally : null;
}

function isOf(words: string, word: string): boolean {
  return new RegExp(`^(?:${words})$`).test(word);
}

function add(tally: Tally, word: string, count: number): void {
  if (isOf(OTHERS, word) || isOf(NOUN, word)) {
    if (
      !/^(?:assertions?|files?|suites?|features?|expects?)$/.test(word) &&
      !isOf('skip.*|pending|ignored|todo|warnings?', word)
    )
      tally.total ??= count;
    return;
  }
  tally.results += 1;
  if (isOf(FAILED, word)) tally.failed = Math.max(tally.failed ?? 0, count);
  else if (isOf(ERRORS, word)) tally.errors = Math.max(tally.errors, count);
  else tally.passed = Math.max(tally.passed ?? 0, count);
}

/** The last lines of counts that stand together, as one result; null without any. */
function lastTally(lines: readonly string[]): { readonly tally: Tally; readonly line: string } | null {
  let found: { tally: Tally; line: string } | null = null;
  let open = false;
  // Jest shows what tests print below such a line, further to the right.
  const printed = lines.some((line) => /^\s*console\.\w+$/.test(line));
  for (const line of lines) {
    if (line.trim() === '' || (printed && line.startsWith('    '))) continue;
    const next = tallyOf(line);
    if (next === null) {
      // A total or a duration may stand between the counts.
      open = open && NEUTRAL.test(line.toLowerCase());
      continue;
    }
    if (!open || found === null) found = { tally: next, line };
    else found = joined(found, next, line);
    open = true;
  }
  return found;
}

function joined(before: { readonly tally: Tally; readonly line: string }, next: Tally, line: string) {
  const { tally } = before;
  // The same words again: files, then tests; or the next suite's.
  const passed = next.passed ?? tally.passed;
  const failed =
    next.failed === null ? tally.failed : Math.max(next.failed, next.passed === null ? 0 : (tally.failed ?? 0));
  const sum: Tally = {
    passed,
    failed,
    errors: Math.max(tally.errors, next.errors),
    total: next.total ?? tally.total,
    results: tally.results + next.results,
    tests: tally.tests || next.tests,
  };
  const told = (next.failed ?? 0) + next.errors > 0 || (tally.failed ?? 0) + tally.errors === 0;
  return { tally: sum, line: told ? line : before.line };
}

/** Sentences about all tests. */
const ALL_PASSED =
  /^\W{0,10}all (?:\d{1,7} |the )?(?:unit |integration )?(?:tests?|specs?|suites?|checks|assertions|cases) (?:have |were |are )?(?:passed|pass|passing|ok|green|succeeded|successful)\W{0,10}$/i;
const SOME_FAILED =
  /^\W{0,10}(?:some|there (?:are|were)) (?:failing |failed )?(?:tests?|checks?|specs?|cases?|suites?|scenarios?|assertions?)(?: (?:have )?failed| failures)?\W{0,10}$|^\W{0,10}(?:tests?|specs?|suites?) (?:failed|FAILED)\W{0,10}$/i;
/** Marks of single tests, as commonly written in scripts. */
const BAD_MARK = /^\s*(?:✗|✘|✖|❌|×|\[(?:FAIL(?:ED)?|ERROR)\]|FAIL(?:ED)?\b:?|NOT OK|not ok) +\S/;
const GOOD_MARK = /^\s*(?:✓|✔|✅|\[ *(?:PASS(?:ED)?|OK) *\]|PASS(?:ED)?\b:?|ok:?|OK:?) +\S/;

/** Unlisted runners, and scripts that test without one. */
export const generic: Detector = {
  framework: 'script',
  detect: ({ lines }) => {
    const last = lastTally(lines);
    if (last !== null)
      return [findingOf(last)].filter(
        ({ outcome, passed, failed }) => outcome !== 'no-tests' || passed === null || failed !== null,
      );
    const failed = lines.find((line) => SOME_FAILED.test(line));
    if (failed !== undefined) return [uncounted('script', 'fail', failed)];
    const passed = lines.find((line) => ALL_PASSED.test(line));
    // A suite that passes, followed by one that fails.
    const later = passed !== undefined && lines.slice(lines.indexOf(passed)).some((line) => BAD_MARK.test(line));
    if (passed !== undefined && !later) return [uncounted('script', 'pass', passed)];
    return marks(lines);
  },
};

function findingOf({ tally, line }: NonNullable<ReturnType<typeof lastTally>>): Finding {
  const { passed, failed, errors, total, results, tests } = tally;
  const bad = failed ?? 0;
  const counts = { passed: passed ?? Math.max(0, (total ?? 0) - bad - errors), failed: bad, errors };
  // `0 failures` of an unknown number.
  const outcome = passed === null && total === null && bad + errors === 0 ? 'pass' : outcomeOf(counts);
  return {
    framework: 'script',
    outcome,
    passed: passed ?? (total === null ? null : counts.passed),
    failed: failed ?? (outcome === 'pass' ? 0 : null),
    strength: results > 1 || (tests && total !== null) || tests ? 'summary' : 'detail',
    evidence: line.trim(),
  };
}

/** Whether single tests are marked, the bad ones differently from the good ones. */
export function marksTests(lines: readonly string[]): boolean {
  return lines.some((line) => BAD_MARK.test(line)) && lines.some((line) => GOOD_MARK.test(line));
}

function marks(lines: readonly string[]): readonly Finding[] {
  const bad = lines.find((line) => BAD_MARK.test(line));
  if (bad !== undefined) return [uncounted('script', 'fail', bad, 'hint')];
  const good = lines.find((line) => GOOD_MARK.test(line));
  return good === undefined ? [] : [uncounted('script', 'pass', good, 'hint')];
}
