import type { GuardRule } from '../api.ts';
import { categories } from './index.ts';
import { familyOf } from './matching/tests.ts';

/**
 * The rules that could speak of a program, in the order of the categories: those about it, and those about any program.
 * A command meets a dozen of them instead of a hundred.
 */
export function rulesFor(program: string): readonly GuardRule[] {
  const own = [...new Set([program, familyOf(program)])].filter((name) => BY_PROGRAM.has(name));
  const key = own.join(' ');
  const known = LISTS.get(key);
  if (known !== undefined) return known;
  const numbers = new Set([...ANY_PROGRAM, ...own.flatMap((name) => BY_PROGRAM.get(name) ?? [])]);
  const list = RULES.filter((_, number) => numbers.has(number));
  LISTS.set(key, list);
  return list;
}

const RULES: readonly GuardRule[] = categories.flatMap((category) => category.rules);

/** The numbers of the rules about each program. */
const BY_PROGRAM = new Map<string, number[]>();
const ANY_PROGRAM: number[] = [];

for (const [number, { matches }] of RULES.entries()) {
  if (matches.programs === undefined) ANY_PROGRAM.push(number);
  for (const program of matches.programs ?? []) {
    const numbers = BY_PROGRAM.get(program);
    if (numbers === undefined) BY_PROGRAM.set(program, [number]);
    else numbers.push(number);
  }
}

/** Lists made so far: as many as there are programs with rules of their own, and one for all others. */
const LISTS = new Map<string, readonly GuardRule[]>();
