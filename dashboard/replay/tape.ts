import { foldRun, type RunView } from '../../src/rules/view/index.ts';
import type { Entry, Moment } from '../transcript/pages.ts';

/** A view is kept every this many events: going back folds at most that many again. */
const KEEP_EVERY = 512;

/** Events of a run in sequence, and its state at any moment. */
interface Tape {
  add(events: readonly Entry[]): void;
  /** The run's state at a time, in epoch ms. The same object while nothing happens. */
  viewAt(at: number): RunView;
  /** The lines around a time: the last event's, and the next one's; null without one. */
  linesAt(at: number): { readonly from: number; readonly to: number | null };
  /** Epoch ms of its last event; 0 when it is empty. */
  end(): number;
}

export function openTape(run: string): Tape {
  const entries: Entry[] = [];
  /** One per event; a clock that was set back does not reverse the order. */
  const times: number[] = [];
  const kept: RunView[] = [];
  let fold = foldRun(run);
  let seen = 0;

  function rewind(count: number): void {
    const known = Math.min(Math.floor(count / KEEP_EVERY), kept.length);
    fold = foldRun(run, kept[known - 1]);
    seen = known * KEEP_EVERY;
  }

  function countAt(at: number): number {
    let [low, high] = [0, times.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((times[middle] ?? 0) <= at) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  return {
    add(events) {
      for (const entry of events) {
        entries.push(entry);
        times.push(Math.max(times.at(-1) ?? 0, Date.parse(entry[1].ts) || 0));
      }
    },
    viewAt(at) {
      const count = countAt(at);
      if (count < seen) rewind(count);
      while (seen < count) {
        const [line, event] = entries[seen] as Entry;
        fold.see(event, line);
        seen++;
        if (seen % KEEP_EVERY === 0 && seen / KEEP_EVERY > kept.length) kept.push(fold.view());
      }
      return fold.view();
    },
    linesAt(at) {
      const count = countAt(at);
      const last = entries[count - 1]?.[0] ?? 0;
      return { from: last, to: entries[count]?.[0] ?? null };
    },
    end: () => times.at(-1) ?? 0,
  };
}

/** Fewer lines than this between two events are not worth a search. */
const NEAR = 300;

/**
 * The first line after a moment: the tape of a long run has its headlines only, and a million lines of an agent may lie
 * between two of them. Requests single lines, each in the middle of the remaining range.
 */
export async function momentAt(
  lines: { readonly from: number; readonly to: number },
  at: number,
  timeOf: (line: number) => Promise<number | null>,
): Promise<Moment> {
  let { from, to } = lines;
  while (to - from > NEAR) {
    const middle = (from + to) >> 1;
    const time = await timeOf(middle);
    if (time === null || time > at) to = middle;
    else from = middle;
  }
  return { line: to, at };
}
