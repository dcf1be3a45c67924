/** A share and what it may be: 0 to 1. */
export type Interval = readonly [low: number, high: number];

/** Of the normal distribution, for 95 %. */
const Z = 1.959964;

/** The 95 % interval of Wilson for a share of `solved` in `n`. Without any tries it may be anything. */
export function wilson(solved: number, n: number): Interval {
  if (n === 0) return [0, 1];
  const share = solved / n;
  const middle = share + Z ** 2 / (2 * n);
  const half = Z * Math.sqrt((share * (1 - share)) / n + Z ** 2 / (4 * n ** 2));
  const scale = 1 + Z ** 2 / n;
  return [Math.max(0, (middle - half) / scale), Math.min(1, (middle + half) / scale)];
}

/** Divisible by every number up to 10: differences of shares of up to ten repeats are whole on it. */
const GRID = 2520;

/**
 * How likely differences of pairs add up this far from zero when every sign was a coin's: exact, two-sided. For
 * differences of 1, 0 and -1 it is McNemar's exact test.
 */
export function signTest(differences: readonly number[]): number {
  const whole = differences.map((one) => Math.round(one * GRID));
  const unit = whole.reduce(commonDivisor, 0);
  if (unit === 0) return 1;
  const sizes = whole.map((one) => Math.abs(one) / unit);
  const all = sum(sizes);
  const found = Math.abs(sum(whole)) / unit;
  // The chance of each sum of those that came up heads.
  const chances = new Float64Array(all + 1);
  chances[0] = 1;
  let reach = 0;
  for (const size of sizes.filter((one) => one > 0)) {
    reach += size;
    for (let at = reach; at >= 0; at--) chances[at] = ((chances[at] ?? 0) + (chances[at - size] ?? 0)) / 2;
  }
  return Math.min(1, sum([...chances.keys()].map((at) => (Math.abs(2 * at - all) >= found ? (chances[at] ?? 0) : 0))));
}

const RESAMPLES = 4000;

/** The 95 % interval of the mean of differences: bootstrap over the pairs, the same for the same input. */
export function bootstrap(differences: readonly number[], seed = 1): Interval {
  const { length } = differences;
  if (length === 0) return [-1, 1];
  const next = generator(seed);
  const means = Float64Array.from({ length: RESAMPLES }, () => {
    let total = 0;
    for (let i = 0; i < length; i++) total += differences[Math.floor(next() * length)] ?? 0;
    return total / length;
  }).sort();
  return [means[Math.floor(0.025 * RESAMPLES)] ?? -1, means[Math.ceil(0.975 * RESAMPLES) - 1] ?? 1];
}

/** Mulberry32: numbers from 0 to 1 that look random. */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Holm's correction: each chance as if it were the only one asked for. */
export function holm(chances: readonly number[]): readonly number[] {
  const corrected: number[] = [];
  let least = 0;
  for (const [rank, at] of [...chances.keys()].sort((a, b) => (chances[a] ?? 1) - (chances[b] ?? 1)).entries()) {
    least = Math.max(least, Math.min(1, (chances.length - rank) * (chances[at] ?? 1)));
    corrected[at] = least;
  }
  return corrected;
}

/** For each point whether none is better in one of cost and share without being worse in the other. */
export function front(points: readonly { readonly cost: number; readonly share: number }[]): readonly boolean[] {
  return points.map((one) =>
    points.every(
      (other) =>
        other.cost > one.cost || other.share < one.share || (other.cost === one.cost && other.share === one.share),
    ),
  );
}

export function sum(numbers: readonly number[]): number {
  return numbers.reduce((all, one) => all + one, 0);
}

function commonDivisor(a: number, b: number): number {
  return b === 0 ? Math.abs(a) : commonDivisor(b, a % b);
}
