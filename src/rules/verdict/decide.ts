import type { TestOutcome, TestVerdict } from './api.ts';
import type { Output } from './clean.ts';
import { meaningOfCode } from './codes.ts';
import type { Finding } from './detectors/finding.ts';
import type { Known } from './evidence.ts';
import { isBad, merge, plain } from './merge.ts';
import { isOtherWork } from './recognise/names.ts';
import type { Recognition } from './recognise/recognition.ts';
import { nameOf } from './recognise/unwrap.ts';
import { sumsUpOnce } from './sums-up-once.ts';
import { noTestScript, nothingRan, troubleIn } from './trouble.ts';

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
  const { steps, mixed } = recognition;
  const succeeded = known.succeeded.size === steps.length;
  const verdict = merge(summariesOf(findings), SURE.unknownProgram);
  if (verdict === null) {
    // Its summary may be in the part that is not seen.
    const detail = succeeded || mixed ? null : merge(detailsOf(findings), SURE.conflict);
    const sure = findings.length > 0 ? SURE.hint : SURE.exitCode;
    return detail ?? plain('not-a-test', sure, 'no test framework reports in the output');
  }
  if (!isBad(verdict)) return isTrimmed(recognition) ? { ...verdict, confidence: SURE.conflict } : verdict;
  // Package managers and make hand on the status of what they run: what failed was shown, not run.
  if (mixed || (succeeded && steps.every(({ named }) => named)))
    return plain('not-a-test', SURE.conflict, `an older run may be shown: ${verdict.evidence}`);
  const byWordsOnly = findings.every(({ framework }) => framework === 'script');
  if (byWordsOnly && steps.every(namesOtherWork))
    return plain('not-a-test', SURE.hint, `not about tests: ${verdict.evidence}`);
  if (byWordsOnly) return { ...verdict, confidence: SURE.hint };
  return succeeded ? { ...verdict, confidence: SURE.conflict } : verdict;
};

/** Does the name of the script or program say that it does other work than tests: a seed, a migration? */
function namesOtherWork({ source, named }: Recognition['steps'][number]): boolean {
  const words = source.split(' ');
  if (named) return words.slice(1).some(isOtherWork);
  // Folders say nothing: what is built lies in `build`.
  return isOtherWork(nameOf(words.find((word) => /\/|\.\w+$/.test(word))));
}

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

/** An older run is shown beside the only one: of good and bad summaries the run's own decides, by its place. */
const besideAnOldRun: Rule = ({ recognition, findings, known, output }) => {
  const { mixed, ownWords, steps } = recognition;
  if (!mixed || known.failure !== null) return null;
  if (steps.every(({ seen }) => seen === 'nothing')) return plain('pass', SURE.guess, 'only an older run may be shown');
  const summaries = summariesOf(findings);
  if (ownWords === null || !output.ordered || summaries.every(isBad) || !summaries.some(isBad)) return null;
  const trimmed = output.lines.map((line) => line.trim());
  const placed = summaries.map((finding) => ({ finding, place: trimmed.lastIndexOf(finding.evidence) }));
  if (placed.some(({ place }) => place < 0)) return null;
  const inOrder = placed.toSorted((a, b) => a.place - b.place).map(({ finding }) => finding);
  const own = ownWords === 'last' ? inOrder.slice(-1) : inOrder.slice(0, 1);
  return merge(own, SURE.conflict);
};

/** More summaries than runs, good ones and bad ones, and no code tells: a test may have printed some of them. */
const disagreement: Rule = ({ recognition, findings, known }) => {
  const summaries = summariesOf(findings);
  const last = summaries.at(-1);
  const tests = recognition.steps.filter(({ certainty }) => certainty === 'test');
  const cut = isCut(tests);
  if (known.failure !== null || last === undefined || !summaries.every((each) => sumsUpOnce(each, cut))) return null;
  if (summaries.every(isBad) || !summaries.some(isBad)) return null;
  if (tests.some(({ repeated }) => repeated) || summaries.length <= tests.length) return null;
  const oneCall = tests.length === 1 && tests.every(({ framework }) => framework !== null);
  return merge(oneCall ? [last] : summaries, SURE.conflict);
};

/** A framework reports a failure. */
const reportedFailure: Rule = ({ recognition, findings, known }) => {
  const summaries = summariesOf(findings);
  const told = summaries.length > 0 ? summaries : detailsOf(findings);
  const verdict = merge(told, summaries.length > 0 ? SURE.summary : SURE.detail);
  if (verdict === null || !isBad(verdict)) return null;
  // A log that the same command shows may hold the lines of an older run.
  return recognition.mixed && known.failure === null ? { ...verdict, confidence: SURE.conflict } : verdict;
};

/** A framework reports an end without failures. */
const reportedEnd: Rule = ({ recognition, findings, known }) => {
  const verdict = merge(
    findings.filter(({ strength, outcome }) => strength !== 'hint' && !isBad({ outcome })),
    SURE.summary,
  );
  if (verdict === null) return null;
  const { failure } = known;
  if (
    failure === null &&
    ((isCut(recognition.steps) && !isWhole(recognition.steps, findings)) || isTrimmed(recognition))
  )
    return { ...verdict, confidence: SURE.conflict };
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
  // A framework that prints, but not its summary, did not get to its end.
  return test?.framework != null && test.seen === 'all' && !silent ? 'error' : 'fail';
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

function isCut(steps: Recognition['steps']): boolean {
  return steps.some(({ seen }) => seen === 'start');
}

/** Of some rounds of a loop the end may not be seen. */
function isTrimmed({ steps }: Recognition): boolean {
  return steps.some(({ seen, repeated }) => repeated && seen !== 'all');
}

/** Where `head` stopped, a runner that was called itself and sums up once has said its last word, no other has. */
function isWhole(steps: Recognition['steps'], findings: readonly Finding[]): boolean {
  const direct = steps.every(({ named, framework, repeated }) => !named && framework !== null && !repeated);
  return direct && findings.every((each) => sumsUpOnce(each, true));
}

function detailsOf(findings: readonly Finding[]): readonly Finding[] {
  return findings.filter(({ strength }) => strength === 'detail');
}

function summariesOf(findings: readonly Finding[]): readonly Finding[] {
  return findings.filter(({ strength }) => strength === 'summary');
}
