import { counted, dollars, elapsed } from '../text/index.ts';
import type { ArmFigures, Comparison, Pair } from './compare.ts';

/** `12 of 20`; `31 of 60 on 20 tasks` where tasks were tried several times. */
export function solvedText({ solved, attempts, tasks }: ArmFigures): string {
  return `${solved} of ${attempts}${attempts === tasks ? '' : ` on ${counted(tasks, 'task')}`}`;
}

/** `39–78 %` */
export function intervalText([low, high]: ArmFigures['interval']): string {
  return `${Math.round(100 * low)}–${Math.round(100 * high)} %`;
}

/** What an attempt costs, in the measure that arms are compared by. */
export function costText(value: number | null, measure: Comparison['measure']): string {
  if (value === null) return 'unknown cost';
  return measure === 'costUsd' ? dollars(value) : elapsed(1000 * value);
}

/** A comparison of two arms in a sentence or two. */
export function pairText(pair: Pair, pairs: number): string {
  const { arms, tasks, better, difference, interval, corrected, shown } = pair;
  const [one, other] = difference < 0 ? [1, 0] : ([0, 1] as const);
  const [low, high] = difference < 0 ? [-interval[1], -interval[0]] : interval;
  const points = (share: number) => `${share > 0 ? '+' : share < 0 ? '−' : ''}${Math.round(Math.abs(100 * share))}`;
  const figures = `of ${counted(tasks, 'task')}, ${arms[one]} did better on ${better[one]}, ${arms[other]} on ${better[other]}: ${points(Math.abs(difference))} points (${points(low)} to ${points(high)}), ${chance(corrected)}`;
  if (shown) return `${arms[one]} solves more than ${arms[other]}: ${figures}.`;
  // The smallest chance that so many tasks can have, corrected.
  const isHopeless = 2 ** (1 - better[0] - better[1]) * pairs >= 0.05;
  return `No difference shown between ${arms[one]} and ${arms[other]}: ${figures}.${isHopeless ? ' Too few tasks tell them apart to show one.' : ''}`;
}

/** What speaks for an arm, beside every other arm of the front. */
export function evidence(one: ArmFigures, { arms, pairs, measure }: Comparison): string {
  return [
    `${solvedText(one)} solved (${intervalText(one.interval)})`,
    one.costPerSolved === null
      ? `${costText(one[measure], measure)} a task`
      : `${dollars(one.costPerSolved)} per solved task`,
    ...arms.flatMap((other) => {
      const pair = pairs.find(({ arms: both }) => both.includes(one.arm.name) && both.includes(other.arm.name));
      if (other === one || pair === undefined) return [];
      const isBetter = (pair.arms[0] === one.arm.name) === pair.difference > 0;
      const shown = pair.shown ? `shown ${isBetter ? 'better' : 'worse'} than` : 'no difference shown to';
      return `${shown} ${other.arm.name}${comparedCost(one[measure], other[measure], measure)}`;
    }),
  ].join('; ');
}

function comparedCost(own: number | null, other: number | null, measure: Comparison['measure']): string {
  if (!own || other === null) return '';
  const ratio = other / own;
  const verb = measure === 'costUsd' ? 'costs' : 'takes';
  const words = ratio < 0.95 ? `${Math.round(100 * ratio)} % of it` : `${ratio.toFixed(1)} times as much`;
  return `, which ${verb} ${ratio >= 0.95 && ratio < 1.05 ? 'as much' : words}`;
}

function chance(p: number): string {
  return p < 0.001 ? 'p < 0.001' : `p = ${Number(p.toPrecision(2))}`;
}
