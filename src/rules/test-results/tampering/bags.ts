/** Items with how often they occur. */
export type Bag = ReadonlyMap<string, number>;

export function bagOf(items: readonly string[]): Bag {
  const bag = new Map<string, number>();
  for (const item of items) bag.set(item, (bag.get(item) ?? 0) + 1);
  return bag;
}

export function sizeOf(bag: Bag): number {
  return [...bag.values()].reduce((sum, count) => sum + count, 0);
}

function shared(left: Bag, right: Bag): number {
  let total = 0;
  for (const [item, count] of left) total += Math.min(count, right.get(item) ?? 0);
  return total;
}

/** 0…1: share of items that two bags have in common (Dice). Two empty bags are not alike. */
export function likeness(left: Bag, right: Bag): number {
  const sum = sizeOf(left) + sizeOf(right);
  return sum === 0 ? 0 : (2 * shared(left, right)) / sum;
}

/** 0…1: share of `items` that `bag` contains; 0 for no items. */
export function containment(items: readonly string[], bag: Bag): number {
  return items.length === 0 ? 0 : shared(bagOf(items), bag) / items.length;
}

/** The items of `bag` beyond those of `other`. */
export function surplus(bag: Bag, other: Bag): Bag {
  return new Map(
    [...bag].map(([item, count]) => [item, count - (other.get(item) ?? 0)] as const).filter(([, more]) => more > 0),
  );
}

/** Members of `left` that `right` lacks, by a key; equal ones are counted, and the first of them are in both. */
export function beyond<T>(left: readonly T[], right: readonly T[], keyOf: (item: T) => string): readonly T[] {
  const rest = new Map(bagOf(right.map(keyOf)));
  return left.filter((item) => {
    const count = rest.get(keyOf(item)) ?? 0;
    rest.set(keyOf(item), count - 1);
    return count <= 0;
  });
}

export function mergeBags(bags: readonly Bag[]): Bag {
  const sum = new Map<string, number>();
  for (const bag of bags) for (const [item, count] of bag) sum.set(item, (sum.get(item) ?? 0) + count);
  return sum;
}
