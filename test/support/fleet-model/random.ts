/** Numbers that look random and are the same for the same seed, wherever they are drawn. */
export interface Random {
  /** 0 ≤ x < 1. */
  unit(): number;
  /** Time until something that happens once in `mean` on average. */
  exponential(mean: number): number;
  /** Half of them below `median`; `sigma` is the spread of their logarithm. */
  logNormal(median: number, sigma: number): number;
}

/** mulberry32: 32 bits of state are plenty for a model, and its whole is these lines. */
export function makeRandom(seed: number): Random {
  let state = seed >>> 0;
  const unit = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const normal = () => Math.sqrt(-2 * Math.log(1 - unit())) * Math.cos(2 * Math.PI * unit());
  return {
    unit,
    exponential: (mean) => -mean * Math.log(1 - unit()),
    logNormal: (median, sigma) => median * Math.exp(sigma * normal()),
  };
}
