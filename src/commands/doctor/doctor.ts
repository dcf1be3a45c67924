import { ExitCode } from '../../contracts/model.ts';
import type { Io } from '../../surfaces/terminal/io.ts';
import { type Paint, paintFor, type Tone } from '../../surfaces/terminal/paint.ts';
import { oneLine } from '../../surfaces/terminal/sanitise.ts';
import { isOn, type RawFlags } from '../flags.ts';
import { printJson, printLines } from '../print.ts';
import { examine, type Finding } from './checks.ts';

/** `ralph doctor`: exit 0 when a run can start, 2 when the project needs mending, 7 when only the agent does. */
export async function doctor(_args: readonly string[], flags: RawFlags, io: Io): Promise<number> {
  const findings = await examine(flags, io);
  if (isOn(flags, 'json')) printJson(io, findings);
  else printLines(io, renderFindings(findings, paintFor(io)));
  const failed = findings.filter((finding) => finding.state === 'failed');
  if (failed.length === 0) return ExitCode.complete;
  return failed.some((finding) => finding.concerns === 'place') ? ExitCode.usage : ExitCode.unavailable;
}

const MARK: Readonly<Record<Finding['state'], readonly [Tone, string]>> = {
  ok: ['good', '✓'],
  warning: ['warn', '!'],
  failed: ['bad', '✗'],
};

/** One line per finding, the ways out below it. Pure. */
export function renderFindings(findings: readonly Finding[], paint: Paint): readonly string[] {
  const width = Math.max(...findings.map((finding) => finding.name.length));
  const failed = findings.filter((finding) => finding.state === 'failed').length;
  return [
    ...findings.flatMap(({ name, state, detail, mend }) => [
      `${paint(...MARK[state])} ${name.padEnd(width)}  ${oneLine(detail)}`,
      ...mend.map((way) => `  ${' '.repeat(width)}  ${paint('dim', `mend: ${oneLine(way)}`)}`),
    ]),
    '',
    failed === 0 ? paint('good', 'a run can start') : paint('bad', `a run cannot start: ${failed} to mend`),
  ];
}
