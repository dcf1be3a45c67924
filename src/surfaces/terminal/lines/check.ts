import type { CheckResult } from '../../../contracts/model.ts';
import { counted, elapsed } from '../format.ts';
import type { Paint } from '../paint.ts';
import { oneLine, safeLines } from '../sanitise.ts';
import { truncate } from '../width.ts';
import { failureLines } from './failure-lines.ts';
import type { RenderOptions } from './page.ts';

const SHOWN_LINES = 8;

/** A check that the loop ran, or whose result it knew, and how it ended. */
export function checkLine(result: CheckResult, paint: Paint): string {
  const { ok, command, exitCode, timedOut, durationMs, tests, known, flaky, notSetUp } = result;
  const took = known ? 'known: the same tree was checked before' : elapsed(durationMs);
  const count = ok && tests?.passed ? ` · ${counted(tests.passed, 'test')}` : '';
  const more = flaky ? paint('warn', ' · flaky: red first, green when run again') : '';
  if (ok) return `${paint('good', '✓')} ${oneLine(command)} ${paint('dim', `${took}${count}`)}${more}`;
  const masked = exitCode === 0 ? 'exit 0, but its tests failed' : `exit ${exitCode}`;
  const how = timedOut ? 'timed out' : exitCode === null ? 'killed' : masked;
  const end = notSetUp === undefined ? how : `not run: \`${oneLine(notSetUp)}\` failed`;
  return `${paint('bad', '✗')} ${oneLine(command)} ${paint('bad', end)} ${paint('dim', took)}`;
}

/** What a failed check printed about the first failure; else the end of it. */
export function checkTail({ ok, tail }: CheckResult, { paint, columns }: RenderOptions): readonly string[] {
  if (ok) return [];
  const lines = failureLines(safeLines(tail), SHOWN_LINES);
  return lines.map((line) => paint('dim', truncate(`    │ ${line}`, columns)));
}
