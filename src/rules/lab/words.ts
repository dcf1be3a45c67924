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
  const { tasks, better, difference, corrected, shown } = pair;
  const turned = difference < 0;
  const [one, other] = turned ? pair.arms.toReversed() : pair.arms;
  const [more, less] = turned ? better.toReversed() : better;
  const [low, high] = turned ? [-pair.interval[1], -pair.interval[0]] : pair.interval;
  const points = (share: number) => `${share > 0 ? '+' : share < 0 ? '−' : ''}${Math.round(Math.abs(100 * share))}`;
  // Where every task says the same, a bootstrap cannot tell how sure that is.
  const range = low === high ? '' : ` (${points(low)} to ${points(high)})`;
  const figures = `${shown ? '' : 'the first is '}better on ${more}, worse on ${less} of ${counted(tasks, 'task')}; ${points(Math.abs(difference))} points${range}, ${chance(corrected)}`;
  if (shown) return `${one} solves more than ${other}: ${figures}.`;
  // The smallest chance that so many tasks can have, corrected.
  const isHopeless = 2 ** (1 - better[0] - better[1]) * pairs >= 0.05;
  return `No difference shown between ${one} and ${other}: ${figures}.${isHopeless ? ' Too few tasks tell them apart to show one.' : ''}`;
}

/** What speaks for an arm, compared with those of the front, those that solve more, and those shown to differ. */
export function evidence(one: ArmFigures, { arms, pairs, measure }: Comparison): readonly string[] {
  const cost = one.costPerSolved === null ? '' : `, ${dollars(one.costPerSolved)} per solved task`;
  return [
    `${solvedText(one)} solved (${intervalText(one.interval)})${cost}`,
    ...arms.flatMap((other) => {
      const pair = pairs.find(({ arms: both }) => both.includes(one.arm.name) && both.includes(other.arm.name));
      if (other === one || pair === undefined) return [];
      if (!pair.shown && !other.front && other.share <= one.share) return [];
      const isBetter = (pair.arms[0] === one.arm.name) === pair.difference > 0;
      const shown = pair.shown ? `${isBetter ? 'solves more' : 'solves less'} than` : 'no difference shown to';
      return `${shown} ${other.arm.name}${comparedCost(one[measure], other[measure], measure)}`;
    }),
  ];
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
