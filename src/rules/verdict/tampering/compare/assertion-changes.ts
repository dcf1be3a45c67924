import type { Assertion, Section } from '../outline/outline.ts';
import { bagOf, likeness } from '../source/tokens.ts';
import type { FilePair, Pairing } from './pair.ts';

/** From this likeness on, two assertions are one that moved. */
const nearlyEqual = 0.85;
/** Comparing everything with everything has an end: beyond this only equal ones count as moved. */
const manyComparisons = 100_000;

/** What became of the assertions of one unit that is still there. */
export interface AssertionChange {
  readonly path: string;
  readonly before: Section;
  readonly after: Section;
  /** Gone from here and found nowhere else. */
  readonly removed: readonly Assertion[];
  /** New here. */
  readonly added: readonly Assertion[];
}

/** Units on both sides with what their assertions lost and won, moves between units already settled. */
export function assertionChanges(files: readonly FilePair[], pairing: Pairing): readonly AssertionChange[] {
  const changes = [...unitPairs(files, pairing)].map(({ path, before, after }) => ({
    path,
    before,
    after,
    removed: without(before.assertions, after.assertions),
    added: without(after.assertions, before.assertions),
  }));
  const elsewhere = [
    ...pairing.added.flatMap(({ section }) => section.assertions),
    ...newHelpers(files).flatMap(({ assertions }) => assertions),
    ...files.filter(({ before }) => before === null).flatMap(({ after }) => after?.loose.assertions ?? []),
  ];
  const settled = moved(changes, elsewhere);
  return changes.map((change) => ({
    ...change,
    removed: change.removed.filter((assertion) => !settled.has(assertion)),
    added: change.added.filter((assertion) => !settled.has(assertion)),
  }));
}

function* unitPairs(files: readonly FilePair[], { pairs }: Pairing) {
  for (const { before, after } of pairs) {
    if (before.section.normal !== after.section.normal) {
      yield { path: after.file.path, before: before.section, after: after.section };
    }
  }
  for (const { path, before, after } of files) {
    if (before === null || after === null) continue;
    yield { path, before: before.loose, after: after.loose };
    const now = new Map(after.helpers.map((helper) => [helper.unit.name, helper]));
    for (const helper of before.helpers) {
      const same = now.get(helper.unit.name);
      if (same !== undefined && same.normal !== helper.normal) yield { path, before: helper, after: same };
    }
  }
}

function newHelpers(files: readonly FilePair[]): readonly Section[] {
  const old = new Set(files.flatMap(({ before }) => (before?.helpers ?? []).map(({ unit }) => unit.name)));
  return files.flatMap(({ after }) => (after?.helpers ?? []).filter(({ unit }) => !old.has(unit.name)));
}

/** Members of `left` that `right` lacks, counting equal ones. */
function without(left: readonly Assertion[], right: readonly Assertion[]): readonly Assertion[] {
  const rest = new Map(bagOf(right.map(({ normal }) => normal)));
  return left.filter(({ normal }) => {
    const count = rest.get(normal) ?? 0;
    rest.set(normal, count - 1);
    return count <= 0;
  });
}

/**
 * Assertions that went from a unit that lost more than it won to one that won more than it lost: word for word first,
 * then nearly so. Both sides of each move. What balances inside a unit is a rewriting, and is judged as one.
 */
function moved(changes: readonly AssertionChange[], elsewhere: readonly Assertion[]): ReadonlySet<Assertion> {
  const settled = new Set<Assertion>();
  const winners = changes
    .filter(({ removed, added }) => added.length > removed.length)
    .map(({ removed, added }) => ({ targets: added, left: added.length - removed.length }));
  const pools = [...winners, { targets: elsewhere, left: elsewhere.length }];
  const bags = new Map(pools.flatMap(({ targets }) => targets).map((target) => [target, bagOf(target.tokens)]));
  const move = (assertion: Assertion, fits: (target: Assertion) => boolean): boolean => {
    for (const pool of pools) {
      const target = pool.left > 0 ? pool.targets.find((other) => !settled.has(other) && fits(other)) : undefined;
      if (target === undefined) continue;
      settled.add(assertion).add(target);
      pool.left -= 1;
      return true;
    }
    return false;
  };
  for (const { removed, added } of changes) {
    let excess = removed.length - added.length;
    const moveAll = (fitting: (assertion: Assertion) => (target: Assertion) => boolean) => {
      for (const assertion of removed) {
        if (excess > 0 && !settled.has(assertion) && move(assertion, fitting(assertion))) excess -= 1;
      }
    };
    moveAll(
      ({ normal }) =>
        (target) =>
          target.normal === normal,
    );
    if (excess <= 0 || removed.length * bags.size > manyComparisons) continue;
    moveAll(({ tokens }) => {
      const bag = bagOf(tokens);
      return (target) => likeness(bag, bags.get(target) ?? new Map()) >= nearlyEqual;
    });
  }
  return settled;
}
