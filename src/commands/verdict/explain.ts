import { resolve } from 'node:path';
import { UsageError } from '../../contracts/errors.ts';
import { readText } from '../../platform/files/files.ts';
import { readStandardInput } from '../../platform/process/standard-input.ts';
import { DECISIVE } from '../../rules/verdict/api.ts';
import { type ExplainedVerdict, explainTestRun } from '../../rules/verdict/judge-test-run.ts';
import type { Io } from '../../surfaces/terminal/io.ts';
import { type Paint, paintFor, type Tone } from '../../surfaces/terminal/paint.ts';
import { oneLine } from '../../surfaces/terminal/sanitise.ts';
import { badValue, isOn, type RawFlags, textOf } from '../shared/flags.ts';
import { printJson, printLines } from '../shared/print.ts';

/** Output that is read from a pipe, in bytes, and how long it may take. */
const LONGEST_INPUT = 64 * 1024 * 1024;
const PATIENCE_MS = 60 * 60_000;

/** `ralph verdict explain [FILE|-]`: what is read in the output of a command, and what that makes of it. */
export async function explainVerdict([path = '-']: readonly string[], flags: RawFlags, io: Io): Promise<number> {
  const exitCode = exitCodeOf(textOf(flags, 'exit'));
  const stdout = await outputOf(path, io);
  // Without a command the output may be of anything: `npm test` is what stands for any test run.
  const command = textOf(flags, 'command') ?? 'npm test';
  const explained = explainTestRun({ command, stdout, stderr: '', exitCode });
  if (isOn(flags, 'json')) printJson(io, dataOf(explained));
  else printLines(io, explanationLines(explained, paintFor(io)));
  return 0;
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
    mend: ['npm test 2>&1 | ralph verdict explain'],
  });
}

/** Without sets and patterns, which JSON has no form for. */
function dataOf({ verdict, recognition, findings }: ExplainedVerdict) {
  return { verdict, decisive: verdict.confidence >= DECISIVE, runs: recognition.steps, findings };
}

const TONES: Readonly<Record<ExplainedVerdict['verdict']['outcome'], Tone>> = {
  pass: 'good',
  fail: 'bad',
  error: 'bad',
  'no-tests': 'warn',
  'not-a-test': 'dim',
};

function explanationLines({ verdict, recognition, findings }: ExplainedVerdict, paint: Paint): readonly string[] {
  const { outcome, framework, passed, failed, confidence, evidence } = verdict;
  const counts = [...(passed === null ? [] : [`${passed} passed`]), ...(failed === null ? [] : [`${failed} failed`])];
  const facts = [framework ?? '', ...counts].filter((fact) => fact !== '');
  return [
    `${paint(TONES[outcome], outcome)}${facts.length > 0 ? `   ${facts.join(', ')}` : ''}`,
    `  ${paint('dim', 'sure')}  ${confidence}${confidence >= DECISIVE ? '' : ': a hint, nothing is rolled back for it'}`,
    `  ${paint('dim', 'why')}   ${oneLine(evidence)}`,
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
