import type { Problem } from '../../contracts/model.ts';
import { nearest } from '../../rules/nearest.ts';
import type { TestOutcome, TestRun, TestVerdict } from '../../rules/verdict/api.ts';
import { judgeTestRun } from '../../rules/verdict/judge-test-run.ts';
import { counted } from '../../surfaces/terminal/format.ts';
import type { Io } from '../../surfaces/terminal/io.ts';
import { type Paint, paintFor } from '../../surfaces/terminal/paint.ts';
import { oneLine } from '../../surfaces/terminal/sanitise.ts';
import { type CorpusRow, corpusProblems, problemAt, readCorpus } from '../shared/corpus-file.ts';
import { isOn, type RawFlags } from '../shared/flags.ts';
import { printJson, printLines } from '../shared/print.ts';
import { OUTCOMES, type Score, type ScoredRow, scoreOf } from './score.ts';

interface Case {
  readonly row: CorpusRow;
  readonly run: TestRun;
  readonly expected: TestOutcome;
  readonly verdict: TestVerdict;
}

/** `ralph verdict test FILE`: how well the verdicts fit a corpus of labelled outputs. */
export async function testVerdicts([path = '']: readonly string[], flags: RawFlags, io: Io): Promise<number> {
  const rows = await readCorpus(path, io, ['command', 'label']);
  const cases = readCases(path, rows).map((each) => ({ ...each, verdict: judgeTestRun(each.run) }));
  const scored = cases.map(({ row, expected, verdict }) => ({
    index: row.index,
    expected,
    got: verdict.outcome,
    confidence: verdict.confidence,
  }));
  const summary = scoreOf(scored);
  if (isOn(flags, 'json')) printJson(io, { rows: scored, summary });
  else printLines(io, [...missLines(path, cases, paintFor(io)), ...summaryLines(summary, scored, paintFor(io))]);
  return 0;
}

/** @throws FileProblemsError with every line whose fields are of the wrong kind */
function readCases(path: string, rows: readonly CorpusRow[]): readonly Omit<Case, 'verdict'>[] {
  const problems: Problem[] = [];
  const cases = rows.flatMap((row): readonly Omit<Case, 'verdict'>[] => {
    const { command, label, stdout = '', stderr = '', exit_code: exitCode = null } = row.fields;
    const expected = OUTCOMES.find((outcome) => outcome === label);
    if (expected === undefined)
      problems.push(problemAt(path, row.line, `unknown label ${JSON.stringify(label)}`, labelMend(label)));
    else if (typeof command !== 'string' || typeof stdout !== 'string' || typeof stderr !== 'string')
      problems.push(problemAt(path, row.line, 'command, stdout and stderr must be texts', 'quote them'));
    else if (exitCode !== null && typeof exitCode !== 'number')
      problems.push(problemAt(path, row.line, 'exit_code must be a number or null', 'write the number without quotes'));
    else return [{ row, expected, run: { command, stdout, stderr, exitCode } }];
    return [];
  });
  if (problems.length > 0) throw corpusProblems(path, problems);
  return cases;
}

function labelMend(label: unknown): string {
  const near = typeof label === 'string' ? nearest(label, OUTCOMES) : null;
  return `one of ${OUTCOMES.join(', ')}${near ? `; did you mean ${near}?` : ''}`;
}

function missLines(path: string, cases: readonly Case[], paint: Paint): readonly string[] {
  const misses = cases.filter(({ expected, verdict }) => expected !== verdict.outcome);
  return misses.map(
    ({ row, expected, verdict: { outcome, confidence, evidence }, run }) =>
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
    `rolled back in vain: ${summary.falseRollbacks}`,
  ];
}

function percent(part: number | null): string {
  return part === null ? '-' : `${(part * 100).toFixed(1)} %`;
}
