import { KEPT, type Kept } from './model.ts';

/** What is kept of an endless number of entries: the last {@link KEPT}, and how many there were. */
export interface KeptList<T> {
  add(entry: T): void;
  view(): Kept<T>;
}

/** Goes on from what an earlier one kept. Adding costs the same however many there were. */
export function keptList<T>(from?: Kept<T>): KeptList<T> {
  let count = from?.count ?? 0;
  let last = [...(from?.last ?? [])];
  let shown: Kept<T> | null = null;
  return {
    add(entry) {
      count += 1;
      shown = null;
      last.push(entry);
      // Cut at twice the length, not at every entry: moving hundreds for each would be what costs most.
      if (last.length > 2 * KEPT) last = last.slice(-KEPT);
    },
    view() {
      shown ??= { count, last: last.slice(-KEPT) };
      return shown;
    },
  };
}
