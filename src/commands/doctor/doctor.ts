import { ExitCode } from '../../contracts/model.ts';
import { counted } from '../../surfaces/terminal/format.ts';
import type { Io } from '../../surfaces/terminal/io.ts';
import { type Paint, paintFor, type Tone } from '../../surfaces/terminal/paint.ts';
import { oneLine } from '../../surfaces/terminal/sanitise.ts';
import { displayWidth } from '../../surfaces/terminal/width.ts';
import { isOn, type RawFlags } from '../shared/flags.ts';
import { printJson, printLines } from '../shared/print.ts';
import { renderAgents } from './agents.ts';
import { type Examination, examine } from './checks.ts';
import type { Finding } from './finding.ts';

/** `ralph doctor`: exit 0 when a run can start, 2 when the project needs mending, 7 when only the agent does. */
export async function doctor(_args: readonly string[], flags: RawFlags, io: Io): Promise<number> {
  const asJson = isOn(flags, 'json');
  const found = await examine(flags, io, {
    all: asJson || isOn(flags, 'agents'),
    checks: isOn(flags, 'checks'),
  });
  if (asJson) printJson(io, found);
  else
    printLines(
      io,
      renderExamination(found, { paint: paintFor(io), columns: io.columns, verbose: isOn(flags, 'verbose') }),
    );
  const failed = found.findings.filter((finding) => finding.state === 'failed');
  if (failed.length === 0) return ExitCode.complete;
  return failed.some((finding) => finding.concerns === 'place') ? ExitCode.usage : ExitCode.unavailable;
}

const MARK: Readonly<Record<Finding['state'], readonly [Tone, string]>> = {
  ok: ['good', '✓'],
  warning: ['warn', '!'],
  failed: ['bad', '✗'],
};

interface DoctorView {
  readonly paint: Paint;
  readonly columns: number;
  /** Also which variables agents do not get. */
  readonly verbose: boolean;
}

/** Findings, agents, and whether a run can start. Pure. */
export function renderExamination(found: Examination, { paint, columns, verbose }: DoctorView): readonly string[] {
  const failed = found.findings.filter((finding) => finding.state === 'failed').length;
  return [
    ...renderFindings(found.findings, paint),
    ...renderAgents(found.agents, columns, paint),
    ...(verbose ? withheldLines(found.withheld, columns, paint) : []),
    '',
    failed === 0 ? paint('good', 'a run can start') : paint('bad', `a run cannot start: ${failed} to mend`),
  ];
}

/** One line per finding; below it what else is worth knowing, then the ways out. */
function renderFindings(findings: readonly Finding[], paint: Paint): readonly string[] {
  const width = Math.max(...findings.map((finding) => finding.name.length));
  return findings.flatMap(({ name, state, detail, more = [], mend }) => [
    `${paint(...MARK[state])} ${name.padEnd(width)}  ${oneLine(detail)}`,
    ...[...more, ...mend.map((way) => `mend: ${way}`)].map(
      (line) => `  ${' '.repeat(width)}  ${paint('dim', oneLine(line))}`,
    ),
  ]);
}

function withheldLines(names: readonly string[], columns: number, paint: Paint): readonly string[] {
  if (names.length === 0) return ['', 'agents and checks get every variable that is set here'];
  return [
    '',
    `agents and checks do not get ${counted(names.length, 'variable')} that ${names.length === 1 ? 'is' : 'are'} set here:`,
    ...wrapped(names.map(oneLine), columns - 2).map((line) => `  ${line}`),
    paint('dim', '`env.pass` of the configuration names those that they need'),
  ];
}

/** Words in lines of at most `width` columns; a longer word has a line of its own. */
function wrapped(words: readonly string[], width: number): readonly string[] {
  const lines: string[] = [];
  for (const word of words) {
    const last = lines.at(-1);
    if (last !== undefined && displayWidth(`${last} ${word}`) <= width) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}
