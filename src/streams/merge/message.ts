import { shortLine } from '../../rules/printable.ts';
import type { Sides } from './sides.ts';

/** Message of a merge commit, in git's own words, with a trailer that names the stream. Pure. */
export function mergeMessage(stream: string, { branch, into, head }: Sides, commits: number) {
  const trailers: readonly (readonly [string, string])[] = [['Ralph-Merge', shortLine(stream)]];
  return {
    subject: `Merge branch '${shortLine(branch)}' into ${shortLine(into)}`,
    body: `${commits} ${commits === 1 ? 'commit' : 'commits'} up to ${head.slice(0, 12)}.`,
    trailers,
  };
}
