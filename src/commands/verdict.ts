import { resolve } from 'node:path';
import { type Problem, UsageError } from '../contracts/index.ts';
import { readStandardInput, readText } from '../platform/index.ts';
import {
  DECISIVE,
  type ExplainedResult,
  explainTestRun,
  judgeTestRun,
  type TestOutcome,
  type TestResult,
  type TestRun,
} from '../rules/test-results/index.ts';
import { counted, oneLine, type Tone } from '../rules/text/index.ts';
import { type Io, type Paint, paintFor } from '../surfaces/terminal/index.ts';
import { type CorpusRow, corpusProblems, labelProblem, percent, problemAt, readCorpus } from './shared/corpus-file.ts';
import { badValue, type RawFlags, textOf } from './shared/flags.ts';
import { printResult } from './shared/print.ts';

/** Limits for output read from a pipe: bytes, and time. */
const LONGEST_INPUT = 64 * 1024 * 1024;
const PATIENCE_MS = 60 * 60_000;

/** `ralph verdict explain [FILE|-]`: what is recognised in a command's output, and how the run ended. */
export async function explainVerdict([path = '-']: readonly string[], flags: RawFlags, io: Io): Promise<number> {
  const exitCode = exitCodeOf(textOf(flags, 'exit'));
  const stdout = await outputOf(path, io);
  // Without a command the output may be of any kind: `npm test` stands for any test run.
  const command = textOf(flags, 'command') ?? 'npm test';
  const explained = explainTestRun({ command, stdout, stderr: '', exitCode });
  return printResult(io, flags, dataOf(explained), explanationLines(explained, paintFor(io)));
}

function exitCodeOf(text: string | undefined): number | null {
  if (text === undefined) return null;
  if (!/^\d{1,3}$/.test(text)) throw badValue('exit', text, 'an exit code, 0 to 255');
  return Number(text);
}

async function outputOf(path: string, { cwd }: Io): Promise<string> {
  const text = path === '-' ? await readStandardInput(LONGEST_INPUT, PATIENCE_MS) : await readText(resolve(cwd, path));
  if (text !== null) return text;
  throw new UsageError({
    what: path === '-' ? 'standard input cannot be read' : `there is no file ${path}`,
    fix: ['npm test 2>&1 | ralph verdict explain'],
  });
}

/** Without sets and patterns, which JSON cannot express. */
function dataOf({ result, recognition, findings }: ExplainedResult) {
  return { verdict: result, decisive: result.confidence >= DECISIVE, runs: recognition.steps, findings };
}

const TONES: Readonly<Record<ExplainedResult['result']['outcome'], Tone>> = {
  pass: 'good',
  fail: 'bad',
  error: 'bad',
  'no-tests': 'warn',
  unknown: 'warn',
  'not-a-test': 'dim',
};

function explanationLines({ result, recognition, findings }: ExplainedResult, paint: Paint): readonly string[] {
  const { outcome, framework, passed, failed, confidence, evidence } = result;
  const counts = [...(passed === null ? [] : [`${passed} passed`]), ...(failed === null ? [] : [`${failed} failed`])];
  const facts = [framework ?? '', ...counts].filter((fact) => fact !== '');
  return [
    `${paint(TONES[outcome], outcome)}${facts.length > 0 ? `   ${facts.join(', ')}` : ''}`,
    `  ${paint('dim', 'confidence')}  ${Math.round(confidence * 100)} %${confidence >= DECISIVE ? '' : ': a hint, nothing is rolled back for it'}`,
    `  ${paint('dim', 'why')}         ${oneLine(evidence)}`,
    '',
    paint('strong', 'Test runs in the command'),
    ...(recognition.steps.length === 0 ? ['  none'] : []),
    ...recognition.steps.map(
      ({ source, certainty, framework: of, seen }) =>
        `  ${oneLine(source)}  ${paint('dim', `(${certainty === 'test' ? (of ?? 'any framework') : 'perhaps'}; ${seen} of its output is here)`)}`,
    ),
    '',
    paint('strong', 'Found in the output'),
    ...(findings.length === 0 ? ['  nothing'] : []),
    ...findings.map(
      (finding) =>
        `  ${finding.framework}: ${finding.outcome} ${paint('dim', `(${finding.strength})`)}  ${oneLine(finding.evidence)}`,
    ),
  ];
}

interface Case {
  readonly row: CorpusRow;
  readonly run: TestRun;
  readonly expected: TestOutcome;
  readonly result: TestResult;
}

/** `ralph verdict test FILE`: how well the results fit a corpus of labelled outputs. */
export async function testVerdicts([path = '']: readonly string[], flags: RawFlags, io: Io): Promise<number> {
  const rows = await readCorpus(path, io, ['command', 'label']);
  const cases = readCases(path, rows).map((each) => ({ ...each, result: judgeTestRun(each.run) }));
  const scored = cases.map(({ row, expected, result }) => ({
    index: row.index,
    expected,
    got: result.outcome,
    confidence: result.confidence,
  }));
  const summary = scoreOf(scored);
  return printResult(io, flags, { rows: scored, summary }, [
    ...missLines(path, cases, paintFor(io)),
    ...summaryLines(summary, scored, paintFor(io)),
  ]);
}

/** @throws FileProblemsError with every line whose fields are of the wrong kind */
function readCases(path: string, rows: readonly CorpusRow[]): readonly Omit<Case, 'result'>[] {
  const problems: Problem[] = [];
  const cases = rows.flatMap((row): readonly Omit<Case, 'result'>[] => {
    const { command, label, stdout = '', stderr = '', exit_code: exitCode = null } = row.fields;
    const expected = OUTCOMES.find((outcome) => outcome === label);
    if (expected === undefined) problems.push(labelProblem(path, row, OUTCOMES));
    else if (typeof command !== 'string' || typeof stdout !== 'string' || typeof stderr !== 'string')
      problems.push(problemAt(path, row.line, 'command, stdout and stderr must be strings', 'quote them'));
    else if (exitCode !== null && typeof exitCode !== 'number')
      problems.push(problemAt(path, row.line, 'exit_code must be a number or null', 'write the number without quotes'));
    else return [{ row, expected, run: { command, stdout, stderr, exitCode } }];
    return [];
  });
  if (problems.length > 0) throw corpusProblems(path, problems);
  return cases;
}

function missLines(path: string, cases: readonly Case[], paint: Paint): readonly string[] {
  const misses = cases.filter(({ expected, result }) => expected !== result.outcome);
  return misses.map(
    ({ row, expected, result: { outcome, confidence, evidence }, run }) =>
      `${paint('strong', `${path}:${row.line}`)}: ${expected}, got ${paint('bad', outcome)} (${confidence}): ${oneLine(run.command).slice(0, 100)} ${paint('dim', `[${oneLine(evidence).slice(0, 100)}]`)}`,
  );
}

function summaryLines(summary: Score, rows: readonly ScoredRow[], paint: Paint): readonly string[] {
  const width = Math.max(...OUTCOMES.map((outcome) => outcome.length)) + 2;
  const cell = (text: string) => text.padStart(width);
  const used = OUTCOMES.filter((outcome) => rows.some(({ expected, got }) => expected === outcome || got === outcome));
  return [
    ...(summary.correct < summary.cases ? [''] : []),
    paint('strong', `${'expected'.padEnd(width)}${used.map((outcome) => cell(outcome)).join('')}`),
    ...used.map(
      (expected) =>
        `${expected.padEnd(width)}${used.map((got) => cell(String(summary.confusion[expected][got]))).join('')}`,
    ),
    '',
    `${counted(summary.cases, 'case')}, ${summary.correct} as expected`,
    `fail: precision ${percent(summary.failPrecision)}, recall ${percent(summary.failRecall)}`,
    `fail or error: recall ${percent(summary.badRecall)}`,
    `wrongly rolled back: ${summary.falseRollbacks}`,
  ];
}

interface ScoredRow {
  /** 0-based. */
  readonly index: number;
  readonly expected: TestOutcome;
  readonly got: TestOutcome;
  readonly confidence: number;
}

type Score = ReturnType<typeof scoreOf>;

const OUTCOMES: readonly TestOutcome[] = ['pass', 'fail', 'error', 'no-tests', 'unknown', 'not-a-test'];

/** How well test results match expectations. Shares are null where there are no cases. */
function scoreOf(rows: readonly ScoredRow[]) {
  const isBad = (outcome: TestOutcome) => outcome === 'fail' || outcome === 'error';
  const count = (wanted: (row: ScoredRow) => boolean) => rows.filter(wanted).length;
  /** Among the cases of one kind, the share of those that are also of the other. */
  const share = (kind: (row: ScoredRow) => boolean, other: (row: ScoredRow) => boolean) => {
    const whole = count(kind);
    return whole === 0 ? null : count((row) => kind(row) && other(row)) / whole;
  };
  const byOutcome = <T>(value: (outcome: TestOutcome) => T) =>
    Object.fromEntries(OUTCOMES.map((outcome) => [outcome, value(outcome)])) as Record<TestOutcome, T>;
  const isFail = ({ expected }: ScoredRow) => expected === 'fail';
  const isCalledFail = ({ got }: ScoredRow) => got === 'fail';
  return {
    cases: rows.length,
    correct: count(({ expected, got }) => expected === got),
    /** `confusion[expected][got]` */
    confusion: byOutcome((expected) =>
      byOutcome((got) => count((row) => row.expected === expected && row.got === got)),
    ),
    failPrecision: share(isCalledFail, isFail),
    failRecall: share(isFail, isCalledFail),
    badRecall: share(
      ({ expected }) => isBad(expected),
      ({ got }) => isBad(got),
    ),
    /** Neither, but called one of the two with certainty: work that would be rolled back needlessly. */
    falseRollbacks: count(({ expected, got, confidence }) => !isBad(expected) && isBad(got) && confidence >= DECISIVE),
  };
}
