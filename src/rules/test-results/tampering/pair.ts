import { type Bag, bagOf, containment, likeness, mergeBags, surplus } from './bags.ts';
import type { FilePair, Section } from './test-file.ts';

interface Pair {
  readonly before: Section;
  readonly after: Section;
}

export interface Pairing {
  readonly pairs: readonly Pair[];
  /** Tests that are gone and that no other test absorbed. */
  readonly gone: readonly Section[];
  readonly added: readonly Section[];
}

/** Below this, two tests with different names count as two tests. */
const ALIKE = 0.6;
/** Comparing all pairs is limited: beyond this many candidates only names and texts are paired. */
const MANY_COMPARISONS = 40_000;

/** What makes two tests the same; text and name first, so that each of two namesakes pairs with itself. */
const SAME: readonly ((test: Section) => string)[] = [
  ({ path, name, normal }) => `${path}\n${name}\n${normal}`,
  ({ path, name }) => `${path}\n${name}`,
  ({ normal }) => normal,
];

/** Finds what each earlier test became: by place and name, by text, or by likeness. */
export function pairTests(files: readonly FilePair[]): Pairing {
  const pairs: Pair[] = [];
  let before = files.flatMap((file) => file.before?.tests ?? []);
  let after = files.flatMap((file) => file.after?.tests ?? []);
  for (const find of [...SAME.map(equalPairs), alikePairs]) {
    const found = find(before, after);
    const used = new Set(found.flatMap((pair) => [pair.before, pair.after]));
    pairs.push(...found);
    before = before.filter((test) => !used.has(test));
    after = after.filter((test) => !used.has(test));
  }
  return { pairs, gone: withoutFolded(before, files), added: after };
}

type FindPairs = (before: readonly Section[], after: readonly Section[]) => readonly Pair[];

function equalPairs(key: (test: Section) => string): FindPairs {
  return (before, after) => {
    const waiting = new Map<string, Section[]>();
    for (const test of after) waiting.set(key(test), [...(waiting.get(key(test)) ?? []), test]);
    return before.flatMap((test) => {
      const found = waiting.get(key(test))?.shift();
      return found === undefined ? [] : [{ before: test, after: found }];
    });
  };
}

const alikePairs: FindPairs = (before, after) => {
  if (before.length * after.length > MANY_COMPARISONS) return [];
  const used = new Set<Section>();
  return before
    .flatMap((old) => after.map((now) => ({ before: old, after: now, score: scoreOf(old, now) })))
    .filter(({ score }) => score >= ALIKE)
    .sort((a, b) => b.score - a.score)
    .filter((pair) => {
      if (used.has(pair.before) || used.has(pair.after)) return false;
      used.add(pair.before).add(pair.after);
      return true;
    });
};

/** Likeness of the bodies; the same file and a similar name count a little, the same name for half. */
function scoreOf(old: Section, now: Section): number {
  const body = likeness(old.words, now.words);
  if (body < 0.3) return 0;
  const name = old.name === now.name ? 0.3 : 0.2 * likeness(wordsOfName(old), wordsOfName(now));
  return body + name + (old.path === now.path ? 0.1 : 0);
}

const wordsOfName = ({ name }: Section): Bag =>
  bagOf(
    name
      .replace(/([a-z])([A-Z])/g, '$1 $2')
      .toLowerCase()
      .split(/[^\p{L}\p{N}]+/u),
  );

/** Removed tests whose name or values no other test or table absorbed. */
function withoutFolded(gone: readonly Section[], files: readonly FilePair[]): readonly Section[] {
  const free = files.map(({ path, before, after }) => {
    const lost = mergeBags(gone.filter((test) => test.path === path).map(({ words }) => words));
    const words = surplus(after?.words ?? new Map(), surplus(before?.words ?? new Map(), lost));
    return { path, isNew: before === null, words };
  });
  return gone.filter(
    (test) => !free.some(({ path, isNew, words }) => (isNew || path === test.path) && isFoldedInto(test, words)),
  );
}

/** Most of what a test was about is in `words`: its name, or its values if any, or everything. */
function isFoldedInto({ name, words: own }: Section, words: Bag): boolean {
  if (name.length > 3 && words.has(`'${name}'`)) return true;
  const values = [...own.keys()].filter((word) => /^['\d]/.test(word) && word.length > 1);
  return containment(values.length >= 2 ? values : [...own.keys()], words) >= 0.7;
}
