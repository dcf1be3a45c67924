/** A queue that gives the least first. Of equals, whichever comes. */
export interface Heap<T> {
  readonly size: () => number;
  push(item: T): void;
  /** The least, which stays; undefined when there is none. */
  least(): T | undefined;
  take(): T | undefined;
}

/** @param before whether one comes before the other; a strict order */
export function makeHeap<T>(before: (one: T, other: T) => boolean): Heap<T> {
  const items: T[] = [];
  const isBefore = (one: number, other: number) => before(items[one] as T, items[other] as T);
  const swap = (one: number, other: number) => {
    [items[one], items[other]] = [items[other] as T, items[one] as T];
  };

  function rise(from: number): void {
    for (let at = from; at > 0; ) {
      const above = (at - 1) >> 1;
      if (!isBefore(at, above)) return;
      swap(at, above);
      at = above;
    }
  }

  function sink(): void {
    for (let at = 0; ; ) {
      let least = at;
      for (const below of [2 * at + 1, 2 * at + 2]) if (below < items.length && isBefore(below, least)) least = below;
      if (least === at) return;
      swap(at, least);
      at = least;
    }
  }

  return {
    size: () => items.length,
    push(item) {
      items.push(item);
      rise(items.length - 1);
    },
    least: () => items[0],
    take() {
      const [first] = items;
      const last = items.pop();
      if (items.length > 0) {
        items[0] = last as T;
        sink();
      }
      return first;
    },
  };
}
