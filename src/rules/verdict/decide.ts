import type { TestOutcome, TestVerdict } from './api.ts';
import type { Output } from './clean.ts';
import { meaningOfCode } from './codes.ts';
import type { Finding } from './detectors/finding.ts';
import type { Known } from './evidence.ts';
import { isBad, merge, plain } from './merge.ts';
import type { Recognition } from './recognise/recognition.ts';
import { noTestScript, troubleIn } from './trouble.ts';

/** All that was found out about one command. */
export interface Case {
  readonly recognition: Recognition;
  readonly findings: readonly Finding[];
  readonly known: Known;
  readonly output: Output;
}

/** How sure each kind of evidence makes; what is to be decisive lies at `DECISIVE` or above. */
const SURE = {
  summary: 0.97,
  detail: 0.93,
  exitCode: 0.92,
  /** The summary of a program that is not known to run tests. */
  unknownProgram: 0.9,
  /** Two pieces of evidence do not agree. */
  conflict: 0.7,
  hint: 0.6,
  guess: 0.3,
} as const;

type Rule = (each: Case) => TestVerdict | null;

/** The verdict from all that was found: the first rule that has an answer decides. */
export function decide(each: Case): TestVerdict {
  for (const rule of RULES) {
    const verdict = rule(each);
    if (verdict !== null) return verdict;
  }
  return guess(each);
}

/** Whatever it printed: nothing in it runs tests. */
const notATest: Rule = ({ recognition }) =>
  recognition.steps.length > 0 ? null : plain('not-a-test', SURE.summary, 'the command runs no tests');

/** The script that `npm init` writes. */
const emptyScript: Rule = ({ recognition, findings, output }) => {
  if (findings.length > 0 || !recognition.steps.some(({ named }) => named)) return null;
  const line = noTestScript(output);
  return line === null ? null : { ...plain('no-tests', SURE.summary, line), passed: 0, failed: 0 };
};

/** Programs of the project, a commit with hooks: a test run only when a framework's own summary says so. */
const onlyMaybe: Rule = ({ recognition, findings, known }) => {
  if (recognition.steps.some(({ certainty }) => certainty === 'test')) return null;
  const verdict = merge(summariesOf(findings), SURE.unknownProgram);
  if (verdict === null) return plain('not-a-test', SURE.exitCode, 'no test framework reports in the output');
  const succeeded = known.succeeded.size === recognition.steps.length;
  const byWordsOnly = findings.every(({ framework }) => framework === 'script');
  return isBad(verdict) && (succeeded || recognition.mixed || byWordsOnly)
    ? { ...verdict, confidence: SURE.conflict }
    : verdict;
};

/** Every run ended with 0: what tests printed meanwhile does not matter. */
const provenPass: Rule = ({ recognition, findings, known }) => {
  const tests = recognition.steps.flatMap((step, index) => (step.certainty === 'test' ? [{ ...step, index }] : []));
  if (!tests.every(({ index }) => known.succeeded.has(index))) return null;
  const summaries = summariesOf(findings);
  const good = summaries.filter((finding) => !isBad(finding));
  if (good.length > 0) return merge(good, SURE.summary);
  // Home-made scripts may forget to hand on the status of what they run; frameworks do not.
  const trusted = tests.every(({ framework }) => framework !== null);
  return summaries.length > 0 && !trusted
    ? merge(summaries, SURE.conflict)
    : plain('pass', SURE.exitCode, 'exit code 0');
};

/** A framework reports a failure. */
const reportedFailure: Rule = ({ recognition, findings, known }) => {
  const summaries = summariesOf(findings);
  const told = summaries.length > 0 ? summaries : findings.filter(({ strength }) => strength === 'detail');
  const verdict = merge(told, summaries.length > 0 ? SURE.summary : SURE.detail);
  if (verdict === null || !isBad(verdict)) return null;
  // A log that the same command shows may hold the lines of an older run.
  return recognition.mixed && known.failure === null ? { ...verdict, confidence: SURE.conflict } : verdict;
};

/** A framework reports an end without failures. */
const reportedEnd: Rule = ({ findings, known }) => {
  const verdict = merge(
    findings.filter(({ strength, outcome }) => strength !== 'hint' && !isBad({ outcome })),
    SURE.summary,
  );
  if (verdict === null) return null;
  const { failure } = known;
  if (failure === null || failure.others || verdict.outcome !== 'pass') return verdict;
  // All tests that are counted passed, yet the runs ended badly: one of several, a threshold, an error between tests.
  const detail = findings.find(({ outcome }) => outcome === 'fail');
  if (detail !== undefined)
    return { ...verdict, outcome: 'fail', failed: null, confidence: SURE.detail, evidence: detail.evidence };
  const evidence = `${failure.evidence}, although ${verdict.evidence}`;
  return { ...verdict, outcome: 'error', confidence: SURE.conflict, evidence };
};

/** Nothing in the output: a code that is not 0 and belongs to the tests. */
const exitCode: Rule = ({ recognition, known, output }) => {
  if (known.failure === null) return null;
  const trouble = troubleIn(output);
  return plain(outcomeOfCode(recognition, known.failure, trouble), SURE.exitCode, trouble ?? known.failure.evidence);
};

const RULES: readonly Rule[] = [notATest, emptyScript, onlyMaybe, provenPass, reportedFailure, reportedEnd, exitCode];

function outcomeOfCode(
  { steps }: Recognition,
  failure: NonNullable<Known['failure']>,
  trouble: string | null,
): TestOutcome {
  const test = steps.find(({ certainty }) => certainty === 'test');
  const own = meaningOfCode(test?.framework ?? null, failure.code);
  if (own !== null) return own;
  if (trouble !== null || failure.others) return 'error';
  // A framework that ends without its summary did not get to its end.
  return test?.framework != null && test.seen === 'all' ? 'error' : 'fail';
}

/** The status is masked and the output says nothing certain. */
function guess({ findings, output }: Case): TestVerdict {
  const hints = merge(findings, SURE.hint);
  if (hints !== null) return hints;
  const trouble = troubleIn(output);
  return trouble === null
    ? plain('pass', SURE.guess, 'neither the output nor the exit code tells')
    : plain('error', SURE.hint, trouble);
}

function summariesOf(findings: readonly Finding[]): readonly Finding[] {
  return findings.filter(({ strength }) => strength === 'summary');
}
