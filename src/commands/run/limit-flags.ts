import type { RunLimits } from '../../contracts/state/run-record.ts';
import { LIMIT_NAMES, limitAmount, limitText } from '../../rules/steering/limit-words.ts';
import { badValue, countOf, dollarsOf, type RawFlags, textOf } from '../shared/flags.ts';
import { durationOf } from './flags.ts';

type Read = (flags: RawFlags, name: string) => number | undefined;

interface LimitFlag {
  /** In camel case, as commander hands it over. */
  readonly name: string;
  readonly read: Read;
}

const FLAGS: Readonly<Record<keyof RunLimits, LimitFlag>> = {
  maxIterations: { name: 'maxIterations', read: countOf },
  calls: { name: 'calls', read: countOf },
  maxCost: { name: 'maxCost', read: dollarsOf },
  maxTokens: { name: 'maxTokens', read: countOf },
  maxDurationMs: { name: 'maxDuration', read: timeOf },
  storyMaxCost: { name: 'storyMaxCost', read: dollarsOf },
  storyMaxAttempts: { name: 'storyMaxAttempts', read: countOf },
};

/** The limits that the command line names. @throws UsageError for a value that a flag does not take */
export function limitsIn(flags: RawFlags): Partial<RunLimits> {
  const entries = LIMIT_NAMES.flatMap((limit) => {
    const { name, read } = FLAGS[limit];
    const value = read(flags, name);
    return value === undefined ? [] : [[limit, value]];
  });
  return Object.fromEntries(entries);
}

/** One line for each changed limit: what it is now, and what it was. */
export function limitLines(was: RunLimits, changed: Partial<RunLimits>): readonly string[] {
  return LIMIT_NAMES.flatMap((limit) => {
    const value = changed[limit];
    if (value === undefined) return [];
    return [`  ${limitText(limit, value)} (was ${limitAmount(limit, was[limit])})`];
  });
}

function timeOf(flags: RawFlags, name: string): number | undefined {
  const ms = durationOf(flags, name);
  if (ms === 0) throw badValue(name, textOf(flags, name) ?? '', 'more than nothing, e.g. 2h');
  return ms;
}
