import type { RunLimits } from '../contracts/state.ts';
import { dollars, elapsed } from '../surfaces/terminal/format.ts';
import { badValue, countOf, dollarsOf, type RawFlags, textOf } from './flags.ts';
import { durationOf } from './run-flags.ts';

type Read = (flags: RawFlags, name: string) => number | undefined;

interface LimitFlag {
  readonly limit: keyof RunLimits;
  /** In camel case, as commander hands it over. */
  readonly name: string;
  /** As it is typed. */
  readonly flag: string;
  readonly read: Read;
  readonly show: (value: number) => string;
}

const LIMITS: readonly LimitFlag[] = [
  { limit: 'maxIterations', name: 'maxIterations', flag: '--max-iterations', read: countOf, show: String },
  { limit: 'calls', name: 'calls', flag: '--calls', read: countOf, show: (value) => `${value} per hour` },
  { limit: 'maxCost', name: 'maxCost', flag: '--max-cost', read: dollarsOf, show: dollars },
  { limit: 'maxTokens', name: 'maxTokens', flag: '--max-tokens', read: countOf, show: String },
  { limit: 'maxDurationMs', name: 'maxDuration', flag: '--max-duration', read: timeOf, show: elapsed },
  { limit: 'storyMaxCost', name: 'storyMaxCost', flag: '--story-max-cost', read: dollarsOf, show: dollars },
  { limit: 'storyMaxAttempts', name: 'storyMaxAttempts', flag: '--story-max-attempts', read: countOf, show: String },
];

/** The limits that the command line names. @throws UsageError for a value that a flag does not take */
export function limitsIn(flags: RawFlags): Partial<RunLimits> {
  const entries = LIMITS.flatMap(({ limit, name, read }) => {
    const value = read(flags, name);
    return value === undefined ? [] : [[limit, value]];
  });
  return Object.fromEntries(entries);
}

/** One line for each changed limit: what it is now, and what it was. */
export function limitLines(was: RunLimits, changed: Partial<RunLimits>): readonly string[] {
  return LIMITS.flatMap(({ limit, flag, show }) => {
    const value = changed[limit];
    if (value === undefined) return [];
    const text = (one: number | null) => (one === null ? 'none' : show(one));
    return [`  ${flag} ${text(value)} (was ${text(was[limit])})`];
  });
}

function timeOf(flags: RawFlags, name: string): number | undefined {
  const ms = durationOf(flags, name);
  if (ms === 0) throw badValue(name, textOf(flags, name) ?? '', 'more than nothing, e.g. 2h');
  return ms;
}
