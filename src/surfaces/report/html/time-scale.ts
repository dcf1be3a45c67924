/** Where moments lie on a line from 0 to 1000. */
export interface TimeScale {
  at(epochMs: number): number;
  /** Times in which nothing happened are drawn shorter than they were. */
  readonly shortened: boolean;
}

/** A pause longer than this share of all work is drawn as if it took so long: a night must not squeeze the day. */
const LONGEST_GAP = 0.08;

/** The scale for spans of work, epoch ms each, that may overlap. Pure. */
export function timeScale(spans: readonly (readonly [from: number, to: number])[]): TimeScale {
  const busy = merged(spans);
  const work = busy.reduce((sum, [from, to]) => sum + (to - from), 0);
  const longest = Math.max(1, work * LONGEST_GAP);
  const starts: number[] = [];
  let length = 0;
  let before: number | undefined;
  let shortened = false;
  for (const [from, to] of busy) {
    const gap = before === undefined ? 0 : from - before;
    shortened ||= gap > longest;
    length += Math.min(gap, longest);
    starts.push(length);
    length += to - from;
    before = to;
  }
  const at = (epochMs: number): number => {
    const i = busy.findLastIndex(([from]) => from <= epochMs);
    const [from, to] = busy[i] ?? [epochMs, epochMs];
    return (1000 * ((starts[i] ?? 0) + Math.min(epochMs, to) - from)) / Math.max(1, length);
  };
  return { at, shortened };
}

function merged(spans: readonly (readonly [number, number])[]): readonly (readonly [number, number])[] {
  const sorted = spans.toSorted(([a], [b]) => a - b);
  const all: [number, number][] = [];
  for (const [from, to] of sorted) {
    const last = all.at(-1);
    if (last && from <= last[1]) last[1] = Math.max(last[1], to);
    else all.push([from, Math.max(from, to)]);
  }
  return all;
}
