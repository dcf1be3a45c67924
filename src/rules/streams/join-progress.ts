import { isLoopLine } from '../progress/entry.ts';
import { newlineOf, sectionsOf } from '../progress/sections.ts';

/** A progress log before a lane took its story, as it is on the branch now, and as the lane leaves it. */
export interface ThreeLogs {
  readonly base: string;
  readonly branch: string;
  readonly lane: string;
  /** Numbers that the lane's iterations have in the run. */
  readonly numbers: ReadonlyMap<number, number>;
}

/**
 * The log of the branch with what a lane added: its entries below, its patterns at the end of the section on top. What
 * lanes rewrite there stays as the branch has it: others read it meanwhile.
 */
export function joinProgress({ base, branch, lane, numbers }: ThreeLogs): string {
  const [before, now, after] = [sectionsOf(base), sectionsOf(branch), sectionsOf(lane)];
  const patterns = added(before.patterns, after.patterns).filter((line) => !now.patterns.includes(line));
  const entries = added(before.entries, after.entries).map((line) => renumbered(line, numbers));
  if (patterns.length === 0 && entries.length === 0) return branch;
  const top = now.patterns.length === 0 ? [] : [...now.patterns.slice(0, -1), ...patterns, ...now.patterns.slice(-1)];
  const newline = newlineOf(branch === '' ? lane : branch);
  return `${[...top, ...withoutEnd(now.entries), ...entries].join(newline)}${newline}`;
}

/** Lines that were not there before, each known line taken out as often as it was there. */
function added(before: readonly string[], after: readonly string[]): readonly string[] {
  const known = new Map<string, number>();
  for (const line of before) known.set(line, (known.get(line) ?? 0) + 1);
  const fresh = after.filter((line) => {
    const left = known.get(line) ?? 0;
    known.set(line, left - 1);
    return left <= 0;
  });
  return withoutEnd(fresh);
}

function withoutEnd(lines: readonly string[]): readonly string[] {
  return lines.slice(0, lines.findLastIndex((line) => line.trim() !== '') + 1);
}

/** A line of the loop's with the number that the iteration has in the run. */
function renumbered(line: string, numbers: ReadonlyMap<number, number>): string {
  if (!isLoopLine(line)) return line;
  return line.replace(/#(\d+)/, (same, digits: string) => {
    const number = numbers.get(Number(digits));
    return number === undefined ? same : `#${number}`;
  });
}
