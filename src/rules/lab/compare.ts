import { counted, sumCosts } from '../text/index.ts';
import type { DroppedCommit, LabArm, LabResult, LabTask } from './model.ts';
import { bootstrap, front, holm, type Interval, signTest, sum, wilson } from './statistics.ts';

/** What one arm came to. Attempts that ended in an error count in `errors` only. */
export interface ArmFigures {
  readonly arm: LabArm;
  /** Tasks with an attempt that was judged. */
  readonly tasks: number;
  readonly attempts: number;
  /** Attempts. */
  readonly solved: number;
  /** Of the tasks, 0 to 1; of a task that was tried several times, the share of its attempts. */
  readonly share: number;
  readonly interval: Interval;
  readonly errors: number;
  /** Means of an attempt; null: the agent does not say what it costs. */
  readonly costUsd: number | null;
  readonly seconds: number;
  readonly iterations: number;
  readonly tokens: number;
  /** How often review sent the work back. */
  readonly sentBack: number;
  /** Attempts that broke what was green. */
  readonly broke: number;
  /** Changed lines per line that the person changed. */
  readonly size: number | null;
  readonly costPerSolved: number | null;
  /** No other arm is cheaper, or solves more, without being worse in the other. */
  readonly front: boolean;
}

/** Two arms over the tasks that both were tried with. */
export interface Pair {
  readonly arms: readonly [one: string, other: string];
  readonly tasks: number;
  /** Tasks on which the first did better, and the second. */
  readonly better: readonly [one: number, other: number];
  /** Mean over the tasks of the first one's share less the second one's, and its 95 % interval. */
  readonly difference: number;
  readonly interval: Interval;
  /** Of the sign test; `corrected` for the number of pairs. */
  readonly p: number;
  readonly corrected: number;
  /** Whether a difference is shown, at 5 %. */
  readonly shown: boolean;
}

export interface Tried {
  readonly id: string;
  readonly title: string;
  /** In the order of `arms`, each with its attempts in the order of repeats. */
  readonly attempts: readonly (readonly LabResult[])[];
}

/** What is shown of a lab, for people and programs. */
export interface Comparison {
  /** All mined tasks; not all of them have to be tried. */
  readonly mined: number;
  readonly dropped: readonly { readonly reason: string; readonly count: number; readonly example: string }[];
  /** What an arm is compared by besides what it solves: time where no agent says what it costs. */
  readonly measure: 'costUsd' | 'seconds';
  /** Of all attempts, those with an error too. */
  readonly costUsd: number | null;
  /** Best first. */
  readonly arms: readonly ArmFigures[];
  readonly pairs: readonly Pair[];
  readonly tried: readonly Tried[];
  readonly suggestion: {
    /** Name of an arm; null: nothing is suggested. */
    readonly arm: string | null;
    /** In a sentence. */
    readonly why: string;
  };
}

/** An attempt that was repeated, such as after an error, counts as it ended last. */
export function compare(
  tasks: readonly LabTask[],
  results: readonly LabResult[],
  dropped: readonly DroppedCommit[],
): Comparison {
  const last = new Map(results.map((one) => [JSON.stringify([one.task, one.arm.name, one.repeat]), one]));
  const attempts = [...last.values()].toSorted((a, b) => a.repeat - b.repeat);
  const byId = new Map(tasks.map((task) => [task.id, task]));
  const rough = groups(attempts, ({ arm }) => arm.name).map((own) => figuresOf(own, byId));
  const measure = rough.some(({ costUsd }) => costUsd) ? 'costUsd' : 'seconds';
  const known = rough.filter((one) => one[measure] !== null && one.share > 0);
  const best = front(known.map((one) => ({ cost: one[measure] ?? 0, share: one.share })));
  const arms = rough
    .map((one) => ({ ...one, front: best[known.indexOf(one)] ?? false }))
    .toSorted((a, b) => b.share - a.share || (a[measure] ?? 1e9) - (b[measure] ?? 1e9));
  const ofArm = arms.map(({ arm }) => attempts.filter((one) => one.arm.name === arm.name));
  const pairs = pairsOf(ofArm);
  return {
    mined: tasks.length,
    dropped: groups(dropped, ({ reason }) => reason)
      .map((own) => ({
        reason: own[0].reason,
        count: own.length,
        example: [own[0].title, ...(own[0].detail === null ? [] : [own[0].detail])].join(': '),
      }))
      .toSorted((a, b) => b.count - a.count),
    measure,
    costUsd: costOf(attempts),
    arms,
    pairs,
    tried: groups(attempts, ({ task }) => task).map(([{ task: id }]) => ({
      id,
      title: byId.get(id)?.story.title ?? id,
      attempts: ofArm.map((own) => own.filter(({ task }) => task === id)),
    })),
    suggestion: suggestionOf(arms, pairs, measure),
  };
}

function figuresOf(all: Group<LabResult>, tasks: ReadonlyMap<string, LabTask>): Omit<ArmFigures, 'front'> {
  const own = all.filter(isJudged);
  const shares = [...sharesOf(own).values()];
  const mean = (of: (one: LabResult) => number) => (own.length === 0 ? 0 : sum(own.map(of)) / own.length);
  const known = own.filter(({ costUsd }) => costUsd !== null);
  const costUsd = known.length === 0 ? null : (costOf(known) ?? 0) / known.length;
  const share = shares.length === 0 ? 0 : sum(shares) / shares.length;
  const lines = sum(own.map(({ task }) => linesOf(tasks.get(task)?.size)));
  return {
    arm: all[0].arm,
    tasks: shares.length,
    attempts: own.length,
    solved: own.filter(({ outcome }) => outcome === 'solved').length,
    share,
    interval: wilson(sum(shares), shares.length),
    errors: all.length - own.length,
    costUsd,
    seconds: mean(({ seconds }) => seconds),
    iterations: mean(({ iterations }) => iterations),
    tokens: mean(({ tokens }) => tokens),
    sentBack: mean(({ sentBack }) => sentBack),
    broke: own.filter(({ broke }) => broke.length > 0).length,
    size: lines === 0 ? null : sum(own.map(({ diff }) => linesOf(diff))) / lines,
    costPerSolved: costUsd === null || share === 0 ? null : costUsd / share,
  };
}

/** Every pair of arms that share a task, with chances corrected for their number. */
function pairsOf(arms: readonly (readonly LabResult[])[]): readonly Pair[] {
  const shares = arms.map((own) => [own[0]?.arm.name ?? '', sharesOf(own.filter(isJudged))] as const);
  const pairs = shares.flatMap(([one, first], i) =>
    shares.slice(i + 1).flatMap(([other, second]) => {
      const both = [...first].flatMap(([task, share]) => (second.has(task) ? [share - (second.get(task) ?? 0)] : []));
      if (both.length === 0) return [];
      return {
        arms: [one, other] as const,
        tasks: both.length,
        better: [both.filter((by) => by > 0).length, both.filter((by) => by < 0).length] as const,
        difference: sum(both) / both.length,
        interval: bootstrap(both),
        p: signTest(both),
      };
    }),
  );
  const corrected = holm(pairs.map(({ p }) => p));
  return pairs.map((pair, i) => ({ ...pair, corrected: corrected[i] ?? 1, shown: (corrected[i] ?? 1) < 0.05 }));
}

/** Below this, an interval spans half of everything. */
const LEAST_TASKS = 10;
/** A cheaper arm is not suggested when it solves fewer tasks by more than this share. */
const MARGIN = 0.1;

/** The cheapest arm of the front that solves about as much as the best, and was not shown to be worse than any. */
function suggestionOf(
  all: readonly ArmFigures[],
  pairs: readonly Pair[],
  measure: Comparison['measure'],
): Comparison['suggestion'] {
  const arms = all.filter(({ tasks }) => tasks >= LEAST_TASKS);
  const [best] = arms;
  if (best === undefined || arms.length < 2) {
    const most = Math.max(0, ...all.map(({ tasks }) => tasks));
    const why = `it takes two arms with ${LEAST_TASKS} tasks each: ${counted(all.length, 'arm')} so far, ${counted(most, 'task')} at most`;
    return { arm: null, why: `too little data to suggest anything: ${why}` };
  }
  if (best.share === 0) return { arm: null, why: 'no arm solved a task: there is nothing to suggest' };
  const worse = new Set(
    pairs.filter(({ shown }) => shown).map(({ arms: [a, b], difference }) => (difference > 0 ? b : a)),
  );
  const [chosen = best] = arms
    .filter(({ arm, front: kept, share }) => kept && !worse.has(arm.name) && share >= best.share - MARGIN)
    .toSorted((a, b) => (a[measure] ?? 0) - (b[measure] ?? 0));
  const why =
    chosen === best
      ? 'it solves most'
      : `it is the cheapest that solves at most ${100 * MARGIN} points less than ${best.arm.name} and was not shown to be worse`;
  return { arm: chosen.arm.name, why };
}

type Group<T> = readonly [T, ...T[]];

/** Items with the same key together, in the order in which keys first occur. */
function groups<T>(items: readonly T[], keyOf: (item: T) => string): readonly Group<T>[] {
  const keys = new Set(items.map(keyOf));
  return [...keys].map((key) => items.filter((item) => keyOf(item) === key) as unknown as Group<T>);
}

function isJudged({ outcome }: LabResult): boolean {
  return outcome !== 'error';
}

/** By task: which share of the attempts solved it. */
function sharesOf(attempts: readonly LabResult[]): ReadonlyMap<string, number> {
  return new Map(
    groups(attempts, ({ task }) => task).map((own) => [
      own[0].task,
      own.filter(({ outcome }) => outcome === 'solved').length / own.length,
    ]),
  );
}

const costOf = (attempts: readonly LabResult[]) => sumCosts(attempts.map(({ costUsd }) => costUsd));

function linesOf(size: LabTask['size'] | undefined): number {
  return size === undefined ? 0 : size.added + size.removed;
}
