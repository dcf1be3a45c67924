import { printable, shortLine } from '../printable.ts';

/** Lines kept of a failing output: the end, where the summary is. */
const KEPT_LINES = 100;
/** Characters kept of one line, so that a minified file in an output does not fill the log. */
const KEPT_COLUMNS = 500;

/** One failing command of an iteration. */
export interface Failure {
  /** ISO 8601. */
  readonly at: string;
  readonly story: string;
  readonly command: string;
  /** null when it is not known. */
  readonly exitCode: number | null;
  /** What it printed. */
  readonly output: string;
}

/** An entry of `failure-context.log`. The output is indented, so that no line of it can be taken for a header. */
export function failureEntry(failure: Failure): string {
  const { at, story, command, exitCode, output } = failure;
  const header = `=== ${at} ${story || '-'} exit=${exitCode ?? 'unknown'} $ ${shortLine(command)}`;
  const lines = printable(output).trimEnd().split('\n').slice(-KEPT_LINES);
  return [header, ...lines.map((line) => `  ${line.slice(0, KEPT_COLUMNS)}`), ''].join('\n');
}
