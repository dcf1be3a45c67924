import { FILLER, type Masked } from './source.ts';

const token = new RegExp(`[\\w$]+|(["'\`/])[${FILLER}\\n]*\\1|[=!<>]=+|[=-]>|&&|\\|\\||::|[^\\s\\w]`, 'g');

/**
 * Tokens of a range without comments. Two layouts of the same code give the same tokens: quotes are unified; semicolons
 * and commas before a closing bracket are dropped.
 */
export function tokensOf({ text, code }: Masked, start: number, end: number): readonly string[] {
  const tokens: string[] = [];
  const slice = code.slice(start, end);
  token.lastIndex = 0;
  for (let match = token.exec(slice); match !== null; match = token.exec(slice)) {
    const raw = text.slice(start + match.index, start + match.index + match[0].length);
    if (match[1] !== undefined && match[1] !== '/') tokens.push(`'${raw.slice(1, -1)}'`);
    else if (raw !== ';') {
      if (/[)\]}]/.test(raw) && tokens.at(-1) === ',') tokens.pop();
      tokens.push(raw);
    }
  }
  return tokens;
}

const telling = /[\p{L}\p{N}_]/u;

/** Words, numbers and strings: what a piece of code is about. */
export function tellingTokens(tokens: readonly string[]): readonly string[] {
  return tokens.filter((text) => telling.test(text));
}

export type Bag = ReadonlyMap<string, number>;

export function bagOf(items: readonly string[]): Bag {
  const bag = new Map<string, number>();
  for (const item of items) bag.set(item, (bag.get(item) ?? 0) + 1);
  return bag;
}

function size(bag: Bag): number {
  let total = 0;
  for (const count of bag.values()) total += count;
  return total;
}

function shared(left: Bag, right: Bag): number {
  let total = 0;
  for (const [item, count] of left) total += Math.min(count, right.get(item) ?? 0);
  return total;
}

/** 0…1: share of items that two bags have in common (Dice). Two empty bags are not alike. */
export function likeness(left: Bag, right: Bag): number {
  const sum = size(left) + size(right);
  return sum === 0 ? 0 : (2 * shared(left, right)) / sum;
}

/** 0…1: share of `items` that `bag` contains; 0 for no items. */
export function containment(items: readonly string[], bag: Bag): number {
  return items.length === 0 ? 0 : shared(bagOf(items), bag) / items.length;
}

/** The items of `bag` beyond those of `other`. */
export function surplus(bag: Bag, other: Bag): Bag {
  const rest = new Map<string, number>();
  for (const [item, count] of bag) {
    const more = count - (other.get(item) ?? 0);
    if (more > 0) rest.set(item, more);
  }
  return rest;
}

export function mergeBags(bags: readonly Bag[]): Bag {
  const sum = new Map<string, number>();
  for (const bag of bags) for (const [item, count] of bag) sum.set(item, (sum.get(item) ?? 0) + count);
  return sum;
}
