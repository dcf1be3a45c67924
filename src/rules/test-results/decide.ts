import { ownValue } from '../../contracts/index.ts';
import { isTestFile } from '../project-checks/index.ts';
import type { TestOutcome, TestResult } from './api.ts';
import type { Output } from './clean.ts';
import { marksTests } from './detectors/counts.ts';
import { type Finding, LONGEST_EVIDENCE, merge } from './detectors/finding.ts';
import { brokenOff, type Known, noTestScript, nothingRan, troubleIn } from './evidence.ts';
import type { Recognition } from './recognise/scope.ts';
import { isOtherWork } from './recognise/tools.ts';
import { nameOf } from './recognise/unwrap.ts';

interface Case {
  readonly recognition: Recognition;
  readonly findings: readonly Finding[];
  /** Of the findings. */
  readonly summaries: readonly Finding[];
  readonly details: readonly Finding[];
  readonly known: Known;
  readonly output: Output;
}

/** The confidence from each kind of evidence; decisive kinds are at `DECISIVE` or above. */
const SURE = {
  summary: 0.97,
  detail: 0.93,
  exitCode: 0.92,
  /** The summary of a program that is not known to run tests. */
  unknownProgram: 0.9,
  /** Two pieces of evidence disagree. */
  conflict: 0.7,
  hint: 0.6,
  guess: 0.3,
} as const;

type Rule = (each: Case) => TestResult | null;

export function decide(facts: Omit<Case, 'summaries' | 'details'>): TestResult {
  const of = (strength: Finding['strength']) => facts.findings.filter((finding) => finding.strength === strength);
  const each: Case = { ...facts, summaries: of('summary'), details: of('detail') };
  for (const rule of RULES) {
    const result = rule(each);
    if (result !== null) return result;
  }
  return guess(each);
}

/** Nothing in the command runs tests, even if the output looks like it. */
const notATest: Rule = ({ recognition }) =>
  recognition.steps.length > 0 ? null : plain('not-a-test', SURE.summary, 'the command runs no tests');

/** The script that `npm init` writes. */
const emptyScript: Rule = ({ recognition, findings, output }) => {
  if (findings.length > 0 || !recognition.steps.some(({ named }) => named)) return null;
  const line = noTestScript(output);
  return line === null ? null : { ...plain('no-tests', SURE.summary, line), passed: 0, failed: 0 };
};

/** Programs of the project, a commit with hooks: a test run only when a framework's own summary shows one. */
const onlyMaybe: Rule = ({ recognition, findings, summaries, details, known, output }) => {
  if (recognition.steps.some(({ certainty }) => certainty === 'test')) return null;
  const { steps, mixed } = recognition;
  const succeeded = known.succeeded.size === steps.length;
  const about = summaries.filter((each) => each.framework !== 'script' || speaksOfTests(recognition, output));
  const result = merge(about, SURE.unknownProgram);
  if (result === null) {
    // Its summary may be in the hidden part of the output.
    const hidden = !succeeded && !mixed && troubleIn(output) === null;
    const detail = hidden
      ? merge(
          details.filter(({ framework }) => !LOOSE.has(framework)),
          SURE.conflict,
        )
      : null;
    const sure = findings.length > 0 ? SURE.hint : SURE.exitCode;
    return detail ?? plain('not-a-test', sure, 'no test framework reports in the output');
  }
  if (!isBad(result) && known.failure !== null)
    return { ...result, outcome: 'error', confidence: SURE.conflict, evidence: known.failure.evidence };
  if (!isBad(result)) return isTrimmed(recognition) ? { ...result, confidence: SURE.conflict } : result;
  // Package managers and make pass on the status of what they run: the failure was displayed, not run.
  if (mixed || (succeeded && steps.every(({ named }) => named)))
    return plain('not-a-test', SURE.conflict, `an older run may be shown: ${result.evidence}`);
  const byWordsOnly = findings.every(({ framework }) => framework === 'script');
  if (byWordsOnly && steps.every(namesOtherWork))
    return plain('not-a-test', SURE.hint, `not about tests: ${result.evidence}`);
  if (byWordsOnly) return { ...result, confidence: SURE.hint };
  return succeeded ? { ...result, confidence: SURE.conflict } : result;
};

/** Stand for a framework where only a form was found that many programs print. */
export const LOOSE: ReadonlySet<string> = new Set(['script', 'assertion', 'report']);

const ABOUT_TESTS =
  /\b(?:[Tt]ests?|[Ss]pecs?|[Ss]pecifications?|[Ss]uites?|[Ss]cenarios?|[Aa]ssertions?)\b|^\W*(?:FAIL|PASS)(?:ED|URES?)?\b/;

/** Whether anything says that the counts of an unknown program are about tests: jobs and hosts are counted, too. */
function speaksOfTests({ steps }: Recognition, { lines }: Output): boolean {
  const called = steps.some(({ source }) =>
    source.split(' ').some((word) => isTestFile(word) || /verify|suite|check|test|spec/i.test(nameOf(word))),
  );
  return called || marksTests(lines) || lines.some((line) => ABOUT_TESTS.test(line));
}

/** Whether the name of the script or program says that it does something other than testing: a seed, a migration. */
function namesOtherWork({ source, named }: Recognition['steps'][number]): boolean {
  const words = source.split(' ');
  if (named) return words.slice(1).some(isOtherWork);
  // Folders do not count: compiled tests may be in `build`.
  return isOtherWork(nameOf(words.find((word) => /\/|\.\w+$/.test(word))));
}

/** Every run ended with 0: failures that tests printed on the way do not matter. */
const provenPass: Rule = ({ recognition, findings, summaries, known, output }) => {
  const tests = recognition.steps.flatMap((step, index) => (step.certainty === 'test' ? [{ ...step, index }] : []));
  if (!tests.every(({ index }) => known.succeeded.has(index))) return null;
  const good = summaries.filter((finding) => !isBad(finding));
  if (good.length > 0) return merge(ownOf(good, tests), SURE.summary);
  // Home-made scripts may forget to pass on the status of what they run; frameworks do not.
  const trusted = tests.every(({ framework }) => framework !== null);
  if (summaries.length > 0 && !trusted) return merge(summaries, SURE.conflict);
  const begun = summaries.length > 0 ? null : brokenOff(recognition, output);
  if (begun !== null) return plain('error', SURE.detail, `it ended before its summary: ${begun}`);
  // Silence is not a pass: only a known runner's status tells by itself, where its words went elsewhere.
  const silent = output.text.trim() === '' && recognition.steps.every(({ seen }) => seen === 'all');
  const told = known.printed || (trusted ? !silent : findings.some(({ outcome }) => outcome === 'pass'));
  return told
    ? plain('pass', SURE.exitCode, 'exit code 0')
    : plain('unknown', SURE.guess, 'it ended with exit code 0 and said nothing about tests');
};

/** An older run is displayed beside the only one: of good and bad summaries the run's own decides, by its place. */
const besideAnOldRun: Rule = ({ recognition, summaries, known, output }) => {
  const { mixed, ownWords, steps } = recognition;
  if (!mixed || known.failure !== null) return null;
  if (steps.every(({ seen }) => seen === 'nothing'))
    return plain('unknown', SURE.guess, 'only an older run may be shown');
  // One command that runs many projects has several summaries of its own.
  if (steps.some(({ certainty, framework, named }) => certainty === 'test' && framework === null && !named))
    return null;
  if (ownWords === null || !output.ordered || summaries.every(isBad) || !summaries.some(isBad)) return null;
  const trimmed = output.lines.map((line) => line.trim());
  const placed = summaries.map((finding) => ({ finding, place: trimmed.lastIndexOf(finding.evidence) }));
  if (placed.some(({ place }) => place < 0)) return null;
  const inOrder = placed.toSorted((a, b) => a.place - b.place).map(({ finding }) => finding);
  const own = ownWords === 'last' ? inOrder.slice(-1) : inOrder.slice(0, 1);
  return merge(own, SURE.conflict);
};

/** More summaries than runs, both good and bad, and no exit code decides: a test may have printed some of them. */
const disagreement: Rule = ({ recognition, summaries, known }) => {
  const last = summaries.at(-1);
  const tests = recognition.steps.filter(({ certainty }) => certainty === 'test');
  const cut = isCut(tests);
  if (known.failure !== null || last === undefined || !summaries.every((each) => sumsUpOnce(each, cut))) return null;
  if (summaries.every(isBad) || !summaries.some(isBad)) return null;
  if (tests.some(({ repeated }) => repeated) || summaries.length <= tests.length) return null;
  const oneCall = tests.length === 1 && tests.every(({ framework }) => framework !== null);
  return merge(oneCall ? [last] : summaries, SURE.conflict);
};

const reportedFailure: Rule = ({ recognition, summaries, details, known }) => {
  const bad = summaries.filter(isBad);
  const tests = recognition.steps.filter(({ certainty }) => certainty === 'test');
  const told = bad.length > 0 && bad.length < summaries.length ? ownOf(summaries, tests, bad) : summaries;
  const result = told.length > 0 ? merge(told, SURE.summary) : merge(details, SURE.detail);
  if (result === null || !isBad(result)) return null;
  // A log displayed by the same command may hold the lines of an older run.
  return recognition.mixed && known.failure === null ? { ...result, confidence: SURE.conflict } : result;
};

const reportedEnd: Rule = ({ recognition, findings, details, known, output }) => {
  const result = merge(
    findings.filter(({ strength, outcome }) => strength !== 'hint' && !isBad({ outcome })),
    SURE.summary,
  );
  if (result === null) return null;
  const { failure } = known;
  // What is explicit outranks an empty summary: one binary of several had no tests.
  if (result.outcome === 'no-tests') {
    const bad = merge(details.filter(isBad), SURE.detail);
    if (bad !== null) return bad;
    const trouble = failure === null ? null : troubleIn(output);
    if (trouble !== null && trouble !== result.evidence)
      return { ...plain('error', SURE.exitCode, trouble), framework: result.framework };
    // The summaries of other binaries may be in the hidden part.
    const isPart = recognition.steps.some(({ seen }) => seen === 'part');
    if (isPart && findings.some(({ framework }) => framework === 'cargo')) return null;
  }
  if (
    failure === null &&
    ((isCut(recognition.steps) && !isWhole(recognition.steps, findings)) || isTrimmed(recognition))
  )
    return { ...result, confidence: SURE.conflict };
  if (failure === null || failure.others || result.outcome !== 'pass') return result;
  // All counted tests passed, yet the runs failed: one of several runs, a threshold, an error between tests.
  const detail = findings.find(({ outcome }) => outcome === 'fail');
  if (detail !== undefined)
    return { ...result, outcome: 'fail', failed: null, confidence: SURE.detail, evidence: detail.evidence };
  const evidence = `${failure.evidence}, although ${result.evidence}`;
  return { ...result, outcome: 'error', confidence: SURE.conflict, evidence };
};

/** No decisive output: a non-zero exit code that belongs to the tests. */
const exitCode: Rule = ({ recognition, known, output }) => {
  const refused = nothingRan(output);
  const shown = recognition.steps.every(({ seen }) => seen !== 'nothing');
  if (refused !== null && (known.failure !== null || shown)) return plain('error', SURE.exitCode, refused);
  if (known.failure === null) return null;
  const trouble = troubleIn(output);
  const outcome = outcomeOfCode(recognition, known.failure, { trouble, silent: output.text.trim() === '' });
  return plain(outcome, SURE.exitCode, trouble ?? known.failure.evidence);
};

const RULES: readonly Rule[] = [
  notATest,
  emptyScript,
  onlyMaybe,
  provenPass,
  besideAnOldRun,
  disagreement,
  reportedFailure,
  reportedEnd,
  exitCode,
];

function outcomeOfCode(
  { steps }: Recognition,
  failure: NonNullable<Known['failure']>,
  { trouble, silent }: { readonly trouble: string | null; readonly silent: boolean },
): TestOutcome {
  const test = steps.find(({ certainty }) => certainty === 'test');
  const own = meaningOfCode(test?.framework ?? null, failure.code);
  if (own !== null) return own;
  if (trouble !== null || failure.others) return 'error';
  // A framework that printed output but no summary did not finish, unless another reporter was asked for.
  const isAsked = / (?:-R|--reporter|--format)\b/.test(test?.source ?? '');
  return test?.framework != null && test.seen === 'all' && !silent && !isAsked ? 'error' : 'fail';
}

/** The status is masked and the output is inconclusive. */
function guess({ findings, recognition, output }: Case): TestResult {
  const hints = merge(findings, SURE.hint);
  if (hints !== null && isBad(hints)) return hints;
  const unended = hints?.framework === 'tap' && recognition.steps.every(({ seen }) => seen === 'all');
  if (unended) return plain('error', SURE.conflict, `${hints.evidence}, and fewer were seen`);
  const trouble = troubleIn(output);
  return trouble === null
    ? plain('unknown', SURE.guess, 'neither the output nor the exit code shows the result')
    : plain('error', SURE.hint, trouble);
}

/** The last of the summaries, where one call of a runner that sums up once has several: tests printed the others. */
function ownOf(
  summaries: readonly Finding[],
  tests: Recognition['steps'],
  among: readonly Finding[] = summaries,
): readonly Finding[] {
  const [only, second] = tests;
  const isOne = second === undefined && only?.framework != null && !only.repeated;
  return isOne && summaries.every(({ framework }) => ONCE.has(framework)) ? among.slice(-1) : summaries;
}

function isCut(steps: Recognition['steps']): boolean {
  return steps.some(({ seen }) => seen === 'start');
}

/** Whether the end of some rounds of a loop may be hidden. */
function isTrimmed({ steps }: Recognition): boolean {
  return steps.some(({ seen, repeated }) => repeated && seen !== 'all');
}

/** Where `head` cut the output, only a directly called runner that sums up once has surely printed its result. */
function isWhole(steps: Recognition['steps'], findings: readonly Finding[]): boolean {
  const direct = steps.every(({ named, framework, repeated }) => !named && framework !== null && !repeated);
  return direct && findings.every((each) => sumsUpOnce(each, true));
}

function isBad({ outcome }: { readonly outcome: TestOutcome }): boolean {
  return outcome === 'fail' || outcome === 'error';
}

function plain(outcome: TestOutcome, confidence: number, evidence: string): TestResult {
  return {
    outcome,
    framework: null,
    passed: null,
    failed: null,
    confidence,
    evidence: evidence.slice(0, LONGEST_EVIDENCE),
  };
}

/** Exit codes with a meaning specific to a framework. */
const MEANINGS: Readonly<Record<string, Readonly<Record<number, TestOutcome>>>> = {
  // https://docs.pytest.org/en/stable/reference/exit-codes.html
  pytest: { 1: 'fail', 2: 'error', 3: 'error', 4: 'error', 5: 'no-tests' },
  unittest: { 5: 'no-tests' },
  ctest: { 8: 'fail' },
  go: { 1: 'fail', 2: 'error' },
  phpunit: { 255: 'error' },
};

/** Exit code of `timeout` after it ended the command. */
const TIMED_OUT = 124;
/** From here on the shell could not start the command (125–127), or a signal ended it. */
const NOT_RUN = 125;

/** What a non-zero exit code means by itself; null when it only means failure. */
function meaningOfCode(framework: string | null, code: number | null): TestOutcome | null {
  if (code === null) return null;
  const own = framework === null ? undefined : ownValue(MEANINGS, framework)?.[code];
  if (own !== undefined) return own;
  return code >= NOT_RUN || code === TIMED_OUT ? 'error' : null;
}

/** Frameworks that print one summary per call, for any number of files: a test printed any further ones. */
const ONCE: ReadonlySet<string> = new Set(
  'jest vitest mocha node:test uvu jasmine bun deno pytest unittest behave rspec minitest test-unit bats phpunit busted prove'.split(
    ' ',
  ),
);

/** Frameworks that sum up each package, and at the very end whether one of them failed. */
const AT_THE_END: ReadonlySet<string> = new Set(['go']);

/** Whether one call of this framework ends with one summary, which is one finding. `cut`: its end is hidden. */
function sumsUpOnce({ framework }: Finding, cut: boolean): boolean {
  return ONCE.has(framework) || (!cut && AT_THE_END.has(framework));
}
