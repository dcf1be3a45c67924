import type { Section, TestFile } from '../outline/outline.ts';
import { type Bag, bagOf, containment, likeness, mergeBags, surplus } from '../source/tokens.ts';

/** One test file of a change, as it was and as it is. */
export interface FilePair {
  readonly path: string;
  readonly before: TestFile | null;
  readonly after: TestFile | null;
}

export interface Placed {
  readonly file: FilePair;
  readonly section: Section;
}

export interface Pairing {
  readonly pairs: readonly { readonly before: Placed; readonly after: Placed }[];
  /** Cases that are gone, and that no new case took in. */
  readonly gone: readonly Placed[];
  readonly added: readonly Placed[];
}

/** Below this, two cases of different names are two cases. */
const alike = 0.6;
/** Comparing everything with everything has an end: beyond this many candidates only names and texts pair. */
const manyComparisons = 40_000;

/** Finds for each case of before the one it became: by place and name, by text, by likeness, or folded into a table. */
export function pairCases(files: readonly FilePair[]): Pairing {
  const pairs: { before: Placed; after: Placed }[] = [];
  let before = files.flatMap((file) => placed(file, file.before));
  let after = files.flatMap((file) => placed(file, file.after));
  const take = (key: (place: Placed) => string, fits: (a: Placed, b: Placed) => boolean = () => true) => {
    const waiting = new Map<string, Placed[]>();
    for (const place of after) waiting.set(key(place), [...(waiting.get(key(place)) ?? []), place]);
    const taken = new Set<Placed>();
    before = before.filter((place) => {
      const candidates = waiting.get(key(place)) ?? [];
      const at = candidates.findIndex((candidate) => fits(place, candidate));
      const [found] = at === -1 ? [] : candidates.splice(at, 1);
      if (found === undefined) return true;
      taken.add(found);
      pairs.push({ before: place, after: found });
      return false;
    });
    after = after.filter((place) => !taken.has(place));
  };
  // The same text under the same name first, so that of two namesakes each finds itself.
  take(({ file, section }) => `${file.path}\n${section.unit.fullName}\n${section.normal}`);
  take(({ file, section }) => `${file.path}\n${section.unit.fullName}`);
  take(({ section }) => section.normal);
  take(({ file, section }) => `${file.path}\n${section.unit.name}`);
  take(
    ({ section }) => section.unit.name,
    (a, b) => likeness(a.section.words, b.section.words) >= alike / 2,
  );
  takeAlike();
  return {
    pairs,
    gone: withoutFolded(before, files).filter((place) => !isOneOf(place, [...after, ...grown(pairs)])),
    added: after,
  };

  function takeAlike(): void {
    if (before.length * after.length > manyComparisons) return;
    const scores = before
      .flatMap((old) => after.map((now) => ({ old, now, score: scoreOf(old, now) })))
      .filter(({ score }) => score >= alike)
      .sort((a, b) => b.score - a.score);
    const used = new Set<Placed>();
    for (const { old, now } of scores) {
      if (used.has(old) || used.has(now)) continue;
      used.add(old).add(now);
      pairs.push({ before: old, after: now });
    }
    before = before.filter((place) => !used.has(place));
    after = after.filter((place) => !used.has(place));
  }
}

function placed(file: FilePair, side: TestFile | null): readonly Placed[] {
  return side === null ? [] : side.cases.map((section) => ({ file, section }));
}

/** Likeness of the bodies; the same file, group and a like name count a little. */
function scoreOf(old: Placed, now: Placed): number {
  const body = likeness(old.section.words, now.section.words);
  if (body < 0.3) return 0;
  const near = old.file.path === now.file.path ? (old.section.group === now.section.group ? 0.15 : 0.08) : 0;
  return body + near + 0.2 * likeness(wordsOfName(old.section), wordsOfName(now.section));
}

const wordsOfName = ({ unit }: Section): Bag =>
  bagOf(
    unit.name
      .replace(/([a-z])([A-Z])/g, '$1 $2')
      .toLowerCase()
      .split(/[^\p{L}\p{N}]+/u),
  );

/** Those of the cases that are gone whose name or values no table took in. */
function withoutFolded(gone: readonly Placed[], files: readonly FilePair[]): readonly Placed[] {
  const free = new Map<FilePair, Bag>();
  for (const file of files) {
    const lost = mergeBags(gone.filter((place) => place.file === file).map(({ section }) => section.words));
    free.set(file, surplus(wordsOf(file.after), surplus(wordsOf(file.before), lost)));
  }
  return gone.filter(({ file, section }) => {
    const places = files.filter((other) => other === file || other.before === null);
    return !places.some((place) => tookIn(section, free.get(place) ?? new Map()));
  });
}

/** Cases that began to stand for many. */
function grown(pairs: Pairing['pairs']): readonly Placed[] {
  return pairs
    .filter(({ before, after }) => !standsForMany(before.section) && standsForMany(after.section))
    .map(({ after }) => after);
}

const standsForMany = ({ rows, unit }: Section) => rows > 1 || unit.dynamic;

/** Whether a new parametrised case of the same file does what the old one did. */
function isOneOf({ file, section }: Placed, candidates: readonly Placed[]): boolean {
  return candidates.some(
    (other) =>
      other.file === file && standsForMany(other.section) && likeness(section.words, other.section.words) >= 0.45,
  );
}

const wordsOf = (file: TestFile | null): Bag => file?.words ?? new Map();

/** Most of what a case was about stands in `words`: its name, or its values when it has some, or everything. */
function tookIn({ unit, words: own }: Section, words: Bag): boolean {
  if (unit.name.length > 3 && words.has(`'${unit.name}'`)) return true;
  const values = [...own.keys()].filter((word) => /^['\d]/.test(word) && word.length > 1);
  return containment(values.length >= 2 ? values : [...own.keys()], words) >= 0.7;
}
