import type { CheckResult } from '../../../contracts/model.ts';
import { counted, elapsed } from '../format.ts';
import type { Paint } from '../paint.ts';
import { oneLine, safeLines } from '../sanitise.ts';
import { truncate } from '../width.ts';
import type { RenderOptions } from './page.ts';

const TAIL_LINES = 8;

/** A check that the loop ran, and how it ended. */
export function checkLine({ ok, command, exitCode, timedOut, durationMs, tests }: CheckResult, paint: Paint): string {
  const count = tests?.passed ? ` · ${counted(tests.passed, 'test')}` : '';
  if (ok) return `${paint('good', '✓')} ${oneLine(command)} ${paint('dim', `${elapsed(durationMs)}${count}`)}`;
  const masked = exitCode === 0 ? 'exit 0, but its tests failed' : `exit ${exitCode}`;
  const how = timedOut ? 'timed out' : exitCode === null ? 'killed' : masked;
  return `${paint('bad', '✗')} ${oneLine(command)} ${paint('bad', how)} ${paint('dim', elapsed(durationMs))}`;
}

/** The end of what a failed check printed. */
export function checkTail({ ok, tail }: CheckResult, { paint, columns }: RenderOptions): readonly string[] {
  if (ok) return [];
  const lines = safeLines(tail).filter((line) => line !== '');
  return lines.slice(-TAIL_LINES).map((line) => paint('dim', truncate(`    │ ${line}`, columns)));
}
