import { counted, elapsed } from '../../surfaces/terminal/format.ts';
import type { Paint } from '../../surfaces/terminal/paint.ts';
import { oneLine } from '../../surfaces/terminal/sanitise.ts';
import { truncate } from '../../surfaces/terminal/width.ts';
import type { RowResult } from './battery.ts';

/** Columns of the names: the longest fits. */
const NAME_WIDTH = 33;
/** Columns that are left of 80 for the outcome. */
const OUTCOME_WIDTH = 26;

/** The lines of one row: what came out, and what is wrong where something is. Pure. */
export function rowLines(result: RowResult, verbose: boolean, paint: Paint): readonly string[] {
  const { name, held, exitCode, concluded, did, expected, seconds, why = [], folder } = result;
  const exit = `exit ${exitCode ?? '-'}`.padEnd(8);
  const [outcome = ''] = oneLine(concluded).split(':');
  const line = `${name.padEnd(NAME_WIDTH)} ${exit} ${elapsed(seconds * 1000).padStart(6)}  `;
  return [
    `${held ? paint('good', '✓') : paint('bad', '✗')} ${line}${paint('dim', truncate(outcome, OUTCOME_WIDTH))}`,
    ...why.map((text) => `    ${paint('bad', oneLine(text))}`),
    ...(verbose ? details({ did, expected, concluded }, paint) : []),
    ...(folder === undefined ? [] : [`    ${paint('dim', folder)}`]),
  ];
}

function details(texts: Pick<RowResult, 'did' | 'expected' | 'concluded'>, paint: Paint): readonly string[] {
  return Object.entries(texts).map(([label, text]) => `    ${paint('dim', label.padEnd(10))}${oneLine(text)}`);
}

/** The verdict on the whole battery. Pure. */
export function verdictLines(
  results: readonly RowResult[],
  asked: number,
  ms: number,
  paint: Paint,
): readonly string[] {
  const broken = results.filter(({ held }) => !held);
  const stopped = results.length < asked ? `, ${asked - results.length} not played` : '';
  const time = paint('dim', `in ${elapsed(ms)}`);
  if (broken.length === 0 && stopped === '') {
    return ['', `${paint('good', `HELD: ralph was not fooled by any of ${counted(results.length, 'agent')}`)} ${time}`];
  }
  const text = `NOT HELD: ${broken.length} of ${counted(results.length, 'row')}${stopped}`;
  return ['', `${paint('bad', text)} ${time}`];
}
