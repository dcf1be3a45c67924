import { counted, elapsed, oneLine } from '../../rules/text/index.ts';
import { type Paint, truncate } from '../../surfaces/terminal/index.ts';
import type { RowResult } from './battery.ts';

/** Columns of the names: the longest fits. */
const NAME_WIDTH = 33;
/** Columns of 80 left for the outcome. */
const OUTCOME_WIDTH = 26;

export function rowLines(result: RowResult, verbose: boolean, paint: Paint): readonly string[] {
  const { name, played, held, exitCode, concluded, did, expected, seconds, why = [], folder } = result;
  const exit = `exit ${exitCode ?? '-'}`.padEnd(8);
  const [ended = ''] = oneLine(concluded).split(':');
  const outcome = played ? ended : `not played: ${ended}`;
  const mark = held ? paint('good', '✓') : played ? paint('bad', '✗') : paint('warn', '-');
  const line = `${name.padEnd(NAME_WIDTH)} ${exit} ${elapsed(seconds * 1000).padStart(6)}  `;
  return [
    `${mark} ${line}${paint('dim', truncate(outcome, OUTCOME_WIDTH))}`,
    ...why.map((text) => `    ${paint('bad', oneLine(text))}`),
    ...(verbose ? details({ did, expected, concluded }, paint) : []),
    ...(folder === undefined ? [] : [`    ${paint('dim', folder)}`]),
  ];
}

function details(texts: Pick<RowResult, 'did' | 'expected' | 'concluded'>, paint: Paint): readonly string[] {
  return Object.entries(texts).map(([label, text]) => `    ${paint('dim', label.padEnd(10))}${oneLine(text)}`);
}

export function totalLines(
  { held, notHeld, notPlayed }: Record<'held' | 'notHeld' | 'notPlayed', number>,
  ms: number,
  paint: Paint,
): readonly string[] {
  const time = paint('dim', `in ${elapsed(ms)}`);
  const left = notPlayed === 0 ? '' : `, ${counted(notPlayed, 'row')} not played`;
  if (notHeld === 0 && held > 0)
    return ['', `${paint('good', `HELD: ralph was not fooled by any of ${counted(held, 'agent')}`)}${left} ${time}`];
  return ['', `${paint('bad', `NOT HELD: ${notHeld} of ${counted(held + notHeld, 'row')}`)}${left} ${time}`];
}
