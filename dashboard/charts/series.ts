import type { Usage, Verdict } from '../../src/contracts/index.ts';
import { sumDollars } from '../../src/rules/text/index.ts';
import type { IterationView, RunView } from '../../src/rules/view/index.ts';
import { tokens } from '../text.ts';

/** Numbers of a chart, and of the table with the same data. Pure. */
export interface Series {
  readonly name: string;
  /** Name of the CSS variable that colours it. */
  readonly colour: string;
  /** One for each label; null where unknown. */
  readonly values: readonly (number | null)[];
}

export interface ChartData {
  /** The units along the bottom. */
  readonly labels: readonly string[];
  readonly series: readonly Series[];
}

/** What each iteration cost in US dollars, and the total so far. */
export function costs(view: RunView): ChartData {
  let all = 0;
  const sums = view.iterations.map(({ costUsd }) => {
    all = sumDollars([all, costUsd ?? 0]);
    return all;
  });
  return {
    labels: numbers(view),
    series: [
      { name: 'This iteration', colour: '--accent', values: view.iterations.map(({ costUsd }) => costUsd) },
      { name: 'Total so far', colour: '--good', values: sums },
    ],
  };
}

const KINDS: readonly { readonly name: string; readonly colour: string; readonly of: keyof Usage }[] = [
  { name: 'Input', colour: '--accent', of: 'inputTokens' },
  { name: 'Output', colour: '--good', of: 'outputTokens' },
  { name: 'Cache read', colour: '--info', of: 'cacheReadTokens' },
  { name: 'Cache write', colour: '--warn', of: 'cacheWriteTokens' },
];

export function tokenKinds(view: RunView): ChartData {
  return {
    labels: numbers(view),
    series: KINDS.map(({ name, colour, of }) => ({
      name,
      colour,
      values: view.iterations.map(({ usage }) => usage[of]),
    })),
  };
}

/** The highest share of the context window, in percent. */
export function contextUse(view: RunView): ChartData {
  return {
    labels: numbers(view),
    series: [{ name: 'Context', colour: '--accent', values: view.iterations.map((one) => one.contextPercent) }],
  };
}

/** Where the time went, in seconds. */
export function phases(view: RunView): ChartData {
  const part = (name: string, colour: string, of: (one: IterationView) => number) => ({
    name,
    colour,
    values: view.iterations.map((one) => of(one) / 1000),
  });
  return {
    labels: numbers(view),
    series: [
      part('Agent', '--accent', ({ agentMs }) => agentMs),
      part('Checks', '--good', ({ checkMs }) => checkMs),
      part('Rest', '--warn', ({ durationMs, agentMs, checkMs }) => Math.max(0, (durationMs ?? 0) - agentMs - checkMs)),
    ],
  };
}

const HOUR_MS = 3_600_000;
/** A run that was idle for weeks does not make a chart of weeks. */
const MOST_HOURS = 24 * 7;

/** Iterations that were started in each hour; of long runs the last week. */
export function callsByHour(view: RunView): ChartData {
  const starts = view.iterations.filter(({ agent }) => agent !== null).map(({ startedAt }) => startedAt);
  const last = Math.floor(starts.reduce((a, b) => Math.max(a, b), 0) / HOUR_MS);
  const earliest = Math.floor(starts.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY) / HOUR_MS);
  const first = Math.max(earliest, last - MOST_HOURS + 1);
  const counts = new Map<number, number>();
  for (const at of starts) counts.set(Math.floor(at / HOUR_MS), (counts.get(Math.floor(at / HOUR_MS)) ?? 0) + 1);
  const hours = starts.length === 0 ? [] : Array.from({ length: last - first + 1 }, (_, i) => first + i);
  return {
    labels: hours.map((hour) => hourText(hour * HOUR_MS)),
    series: [{ name: 'Calls', colour: '--accent', values: hours.map((hour) => counts.get(hour) ?? 0) }],
  };
}

/** How many iterations ended with each verdict, the most frequent first. */
export function verdicts(view: RunView): readonly { readonly verdict: Verdict; readonly count: number }[] {
  const counts = new Map<Verdict, number>();
  for (const { verdict } of view.iterations) if (verdict !== null) counts.set(verdict, (counts.get(verdict) ?? 0) + 1);
  return [...counts].map(([verdict, count]) => ({ verdict, count })).sort((a, b) => b.count - a.count);
}

/** Stacked values: for each series the sum of itself and those below. */
export function stacked(series: readonly Series[]): readonly (readonly number[])[] {
  const sums: number[][] = [];
  for (const { values } of series) {
    const below = sums.at(-1);
    sums.push(values.map((value, i) => (value ?? 0) + (below?.[i] ?? 0)));
  }
  return sums;
}

function numbers(view: RunView): readonly string[] {
  return view.iterations.map(({ iteration }) => String(iteration));
}

function hourText(at: number): string {
  const date = new Date(at);
  const two = (part: number) => String(part).padStart(2, '0');
  return `${two(date.getMonth() + 1)}-${two(date.getDate())} ${two(date.getHours())}:00`;
}

/**
 * Ticks of axes: with as many decimals as the step between them needs, otherwise even steps would look uneven. Pure.
 */
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
