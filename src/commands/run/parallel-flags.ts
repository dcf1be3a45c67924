import { UsageError } from '../../contracts/errors.ts';
import { countOf, type RawFlags, textOf } from '../shared/flags.ts';
import type { RunFlags } from './flags.ts';

/** More lanes than this are a slip of the finger: each has a work tree, a set-up and an agent of its own. */
const MOST_LANES = 32;

/**
 * How many stories `ralph run` works on at once; 1: one after the other, as ever.
 * @throws UsageError beside flags that ask for a single story or iteration
 */
export function lanesAsked(flags: RawFlags, { only, once }: Pick<RunFlags['request'], 'only' | 'once'>): number {
  const given = textOf(flags, 'parallel');
  if (given?.startsWith('-')) {
    throw new UsageError({
      what: '--parallel does not say how many stories at once',
      why: `the word after it, ${given}, is not a number`,
      mend: [`ralph run --parallel 2 ${given}`],
    });
  }
  const lanes = countOf(flags, 'parallel') ?? 1;
  if (lanes === 1) return 1;
  if (lanes > MOST_LANES) {
    throw new UsageError({
      what: `--parallel takes 1 to ${MOST_LANES}, not ${lanes}`,
      why: 'each lane has a worktree and an agent of its own',
      mend: ['ralph run --parallel 3'],
    });
  }
  const other = once ? '--once' : only === null ? null : `--story ${only}`;
  if (other === null) return lanes;
  throw new UsageError({
    what: `--parallel and ${other} contradict each other: there is nothing that could go on beside it`,
    mend: [`ralph run ${other}`],
  });
}
