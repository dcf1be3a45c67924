import type { RunLimits } from '../../contracts/state/run-record.ts';
import { dollars, elapsed } from '../amounts.ts';

interface LimitWords {
  /** As it is typed. */
  readonly flag: string;
  readonly show: (value: number) => string;
}

/** The limits of a run as people name them, in the order in which they are told. */
const LIMIT_WORDS: Readonly<Record<keyof RunLimits, LimitWords>> = {
  maxIterations: { flag: '--max-iterations', show: String },
  calls: { flag: '--calls', show: (value) => `${value} per hour` },
  maxCost: { flag: '--max-cost', show: dollars },
  maxTokens: { flag: '--max-tokens', show: String },
  maxDurationMs: { flag: '--max-duration', show: elapsed },
  storyMaxCost: { flag: '--story-max-cost', show: dollars },
  storyMaxAttempts: { flag: '--story-max-attempts', show: String },
};

/** A limit and its value: `--max-cost $0.30`. */
export function limitText(limit: keyof RunLimits, value: number | null): string {
  return `${LIMIT_WORDS[limit].flag} ${limitAmount(limit, value)}`;
}

/** The value alone. */
export function limitAmount(limit: keyof RunLimits, value: number | null): string {
  return value === null ? 'none' : LIMIT_WORDS[limit].show(value);
}

/** Which limits can be lifted altogether, as the configuration can. */
const LIFTED: ReadonlySet<string> = new Set<keyof RunLimits>(['maxCost', 'maxTokens', 'maxDurationMs', 'storyMaxCost']);
const IN_DOLLARS: ReadonlySet<string> = new Set<keyof RunLimits>(['maxCost', 'storyMaxCost']);

/** What is wrong with limits that come from outside the types, as a whole sentence; null when they can be set. */
export function limitsProblem(limits: Readonly<Record<string, unknown>>): string | null {
  const entries = Object.entries(limits).filter(([, value]) => value !== undefined);
  if (entries.length === 0) return 'no limit is named';
  for (const [name, value] of entries) {
    if (!Object.hasOwn(LIMIT_WORDS, name)) return `there is no limit '${name.slice(0, 40)}'`;
    if (value === null && LIFTED.has(name)) continue;
    const fits = typeof value === 'number' && value > 0 && value <= 1e12;
    if (!fits || !(IN_DOLLARS.has(name) || Number.isInteger(value))) {
      return `${name} takes ${IN_DOLLARS.has(name) ? 'an amount' : 'a whole number'} above 0`;
    }
  }
  return null;
}

/** The names of all limits, in the order of the table. */
export const LIMIT_NAMES = Object.keys(LIMIT_WORDS) as readonly (keyof RunLimits)[];
