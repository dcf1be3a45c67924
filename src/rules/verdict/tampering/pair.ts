import type { Section, TestFile } from './test-file.ts';
import { type Bag, bagOf, containment, likeness, mergeBags, surplus } from './tokens.ts';

/** One test file of a change, before and after. */
export interface FilePair {
  readonly path: string;
  readonly before: TestFile | null;
  readonly after: TestFile | null;
}

export interface Placed {
  readonly file: FilePair;
  readonly test: Section;
}

export interface Pairing {
  readonly pairs: readonly { readonly before: Placed; readonly after: Placed }[];
  /** Tests that are gone and that no other test absorbed. */
  readonly gone: readonly Placed[];
  readonly added: readonly Placed[];
}

/** Below this, two tests with different names count as two tests. */
const ALIKE = 0.6;
/** Comparing all pairs is limited: beyond this many candidates only names and texts are paired. */
const MANY_COMPARISONS = 40_000;

/** Finds what each earlier test became: by place and name, by text, or by likeness. */
export function pairTests(files: readonly FilePair[]): Pairing {
  const pairs: { before: Placed; after: Placed }[] = [];
  let before = files.flatMap((file) => (file.before?.tests ?? []).map((test) => ({ file, test })));
  let after = files.flatMap((file) => (file.after?.tests ?? []).map((test) => ({ file, test })));
  // Equal text under the same name first, so that each of two namesakes pairs with itself.
  pairEqual(({ file, test }) => `${file.path}\n${test.name}\n${test.normal}`);
  pairEqual(({ file, test }) => `${file.path}\n${test.name}`);
  pairEqual(({ test }) => test.normal);
  if (before.length * after.length <= MANY_COMPARISONS) pairAlike();
  return { pairs, gone: withoutFolded(before, files), added: after };

  function pair(found: readonly { readonly before: Placed; readonly after: Placed }[]): void {
    pairs.push(...found);
    const used = new Set(found.flatMap((each) => [each.before, each.after]));
    before = before.filter((place) => !used.has(place));
    after = after.filter((place) => !used.has(place));
  }

  function pairEqual(key: (place: Placed) => string): void {
    const waiting = new Map<string, Placed[]>();
    for (const place of after) waiting.set(key(place), [...(waiting.get(key(place)) ?? []), place]);
    pair(
      before.flatMap((place) => {
        const found = waiting.get(key(place))?.shift();
        return found === undefined ? [] : [{ before: place, after: found }];
      }),
    );
  }

  function pairAlike(): void {
    const scores = before
      .flatMap((old) => after.map((now) => ({ before: old, after: now, score: scoreOf(old, now) })))
      .filter(({ score }) => score >= ALIKE)
      .sort((a, b) => b.score - a.score);
    const used = new Set<Placed>();
    pair(
      scores.filter((each) => {
        if (used.has(each.before) || used.has(each.after)) return false;
        used.add(each.before).add(each.after);
        return true;
      }),
    );
  }
}

/** Likeness of the bodies; the same file and a similar name count a little, the same name for half. */
function scoreOf(old: Placed, now: Placed): number {
  const body = likeness(old.test.words, now.test.words);
  if (body < 0.3) return 0;
  const near = old.file.path === now.file.path ? 0.1 : 0;
  const name = old.test.name === now.test.name ? 0.3 : 0.2 * likeness(wordsOfName(old.test), wordsOfName(now.test));
  return body + near + name;
}

const wordsOfName = ({ name }: Section): Bag =>
  bagOf(
    name
      .replace(/([a-z])([A-Z])/g, '$1 $2')
      .toLowerCase()
      .split(/[^\p{L}\p{N}]+/u),
  );

/** Removed tests whose name or values no other test or table absorbed. */
function withoutFolded(gone: readonly Placed[], files: readonly FilePair[]): readonly Placed[] {
  const wordsOf = (file: TestFile | null): Bag => file?.words ?? new Map();
  const free = files.map((file) => {
    const lost = mergeBags(gone.filter((place) => place.file === file).map(({ test }) => test.words));
    return { file, words: surplus(wordsOf(file.after), surplus(wordsOf(file.before), lost)) };
  });
  return gone.filter(
    (place) =>
      !free.some(({ file, words }) => (file === place.file || file.before === null) && tookIn(place.test, words)),
  );
}

/** Most of what a test was about is in `words`: its name, or its values if any, or everything. */
function tookIn({ name, words: own }: Section, words: Bag): boolean {
  if (name.length > 3 && words.has(`'${name}'`)) return true;
  const values = [...own.keys()].filter((word) => /^['\d]/.test(word) && word.length > 1);
  return containment(values.length >= 2 ? values : [...own.keys()], words) >= 0.7;
}
