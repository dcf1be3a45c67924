import { tokens } from '../text.ts';

/** Ticks of axes: with as many decimals as the step between them needs, or even steps would look uneven. Pure. */
export type Tick = (value: number, step: number) => string;

/** `$0.075`, `$0.50`, `$2` */
export const dollarTick: Tick = (value, step) => {
  const decimals = decimalsOf(step);
  return `$${value.toFixed(decimals === 0 ? 0 : Math.max(2, decimals))}`;
};

/** `750`, `1.25k`, `2.5M` */
export const tokenTick: Tick = (value, step) => {
  if (value < 1000) return String(Math.round(value * 1000) / 1000);
  if (value < 1_000_000) return `${(value / 1000).toFixed(decimalsOf(step / 1000))}k`;
  return value < 1e9 ? `${(value / 1_000_000).toFixed(decimalsOf(step / 1_000_000))}M` : tokens(value);
};

const MOST_DECIMALS = 6;

function decimalsOf(step: number): number {
  for (let decimals = 0; decimals < MOST_DECIMALS; decimals++) {
    const whole = step * 10 ** decimals;
    if (Math.abs(whole - Math.round(whole)) < 1e-6 * Math.max(1, whole) && Math.round(whole) > 0) return decimals;
  }
  return MOST_DECIMALS;
}
