import type { CheckResult } from '../../../contracts/model.ts';
import { counted, elapsed } from '../format.ts';
import type { Paint } from '../paint.ts';
import { oneLine, safeLines } from '../sanitise.ts';
import { truncate } from '../width.ts';
import { failureLines } from './failure-lines.ts';
import type { RenderOptions } from './page.ts';

const SHOWN_LINES = 8;

/** A check that the loop ran, and how it ended. */
export function checkLine({ ok, command, exitCode, timedOut, durationMs, tests }: CheckResult, paint: Paint): string {
  const count = tests?.passed ? ` · ${counted(tests.passed, 'test')}` : '';
  if (ok) return `${paint('good', '✓')} ${oneLine(command)} ${paint('dim', `${elapsed(durationMs)}${count}`)}`;
  const masked = exitCode === 0 ? 'exit 0, but its tests failed' : `exit ${exitCode}`;
  const how = timedOut ? 'timed out' : exitCode === null ? 'killed' : masked;
  return `${paint('bad', '✗')} ${oneLine(command)} ${paint('bad', how)} ${paint('dim', elapsed(durationMs))}`;
}

/** What a failed check printed about the first failure; else the end of it. */
export function checkTail({ ok, tail }: CheckResult, { paint, columns }: RenderOptions): readonly string[] {
  if (ok) return [];
  const lines = failureLines(safeLines(tail), SHOWN_LINES);
  return lines.map((line) => paint('dim', truncate(`    │ ${line}`, columns)));
}
