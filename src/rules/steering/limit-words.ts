import type { RunLimits } from '../../contracts/state.ts';
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

/** The names of all limits, in the order of the table. */
export const LIMIT_NAMES = Object.keys(LIMIT_WORDS) as readonly (keyof RunLimits)[];
