import { type Bag, bagOf, beyond, containment, likeness, mergeBags, surplus } from './bags.ts';
import { type Finding, type Severity, shown } from './change.ts';
import type { Subjects } from './deleted.ts';
import type { Pairing } from './pair.ts';
import { tellingTokens } from './source.ts';
import type { Assertion, FilePair, Mark, Section } from './test-file.ts';

/** What happened to the assertions of one remaining test, or of the code outside tests. */
interface AssertionChange {
  readonly before: Section;
  readonly after: Section;
  /** Removed here and not found elsewhere. */
  readonly removed: readonly Assertion[];
  /** New here. */
  readonly added: readonly Assertion[];
}

/** Assertions that were removed, that say less, or that hold for any code. */
export function weakenedAssertions(files: readonly FilePair[], pairing: Pairing, subjects: Subjects): Finding[] {
  const helpers = new Map(files.flatMap(({ after }) => [...(after?.helpers ?? [])]));
  const fresh = mergeBags(files.filter(({ before }) => before === null).map(({ after }) => after?.words ?? new Map()));
  return assertionChanges(files, pairing).flatMap((change) => [
    ...removedAssertions(change, lostOf(change, helpers, fresh), subjects),
    ...hollowAssertions(change),
    ...swallowedFailures(change),
  ]);
}

const keyOf = ({ normal }: Assertion) => normal;

/** What each test lost and gained; moves between tests are already excluded. */
function assertionChanges(files: readonly FilePair[], { pairs, added }: Pairing): readonly AssertionChange[] {
  const loose = files.flatMap(({ before, after }) =>
    before === null || after === null ? [] : [{ before: before.loose, after: after.loose }],
  );
  const changes = [...pairs.filter(({ before, after }) => before.normal !== after.normal), ...loose].map(
    ({ before, after }) => ({
      before,
      after,
      removed: beyond(before.assertions, after.assertions, keyOf),
      added: beyond(after.assertions, before.assertions, keyOf),
    }),
  );
  const elsewhere = [
    ...added.flatMap(({ assertions }) => assertions),
    ...files.flatMap(({ before, after }) => (before === null ? (after?.loose.assertions ?? []) : [])),
  ];
  const moved = movedAssertions(changes, elsewhere);
  const isHere = (assertion: Assertion) => !moved.has(assertion);
  return changes.map((change) => ({
    ...change,
    removed: change.removed.filter(isHere),
    added: change.added.filter(isHere),
  }));
}

/** From this likeness on, two assertions count as one that moved. */
const NEARLY_EQUAL = 0.85;
/** Comparing all pairs is limited: beyond this only equal assertions count as moved. */
const MANY_COMPARISONS = 100_000;

/**
 * Assertions that went from a test that lost more than it gained to one that gained more than it lost: exact matches
 * first, then near ones. Both sides of each move. A balanced change inside a test is a rewrite, and is judged as one.
 */
function movedAssertions(changes: readonly AssertionChange[], elsewhere: readonly Assertion[]): ReadonlySet<Assertion> {
  const moved = new Set<Assertion>();
  const gains = changes.filter(({ removed, added }) => added.length > removed.length).flatMap(({ added }) => added);
  const free = new Map([...elsewhere, ...gains].map((assertion) => [assertion, bagOf(assertion.tokens)]));
  for (const { removed, added } of changes) {
    let excess = removed.length - added.length;
    const move = (isSame: (old: Assertion, bag: Bag, now: Assertion, words: Bag) => boolean) => {
      for (const assertion of removed) {
        if (excess <= 0 || moved.has(assertion)) continue;
        const bag = bagOf(assertion.tokens);
        const target = [...free].find(([now, words]) => isSame(assertion, bag, now, words))?.[0];
        if (target === undefined) continue;
        moved.add(assertion).add(target);
        free.delete(target);
        excess -= 1;
      }
    };
    move((old, _, now) => old.normal === now.normal);
    if (removed.length * free.size <= MANY_COMPARISONS)
      move((_, bag, __, words) => likeness(bag, words) >= NEARLY_EQUAL);
  }
  return moved;
}

/** Removed assertions, not rewritten one for one or absorbed by a helper, a bigger assertion, a table or a loop. */
function lostOf(
  { before, after, removed, added }: AssertionChange,
  helpers: ReadonlyMap<string, number>,
  fresh: Bag,
): readonly Assertion[] {
  // What a helper outside this change asserts is unknown: it may absorb any number.
  if (added.some(({ tokens }) => isUnknownHelper(tokens, helpers))) return [];
  const won = surplus(wordsIn(after), wordsIn(before));
  const calls = [...won].reduce((sum, [word, count]) => sum + count * (helpers.get(word) ?? 0), 0);
  const said = mergeBags([won, bagOf(added.flatMap(({ tokens }) => tellingTokens(tokens)))]);
  const lost = removed.filter(
    ({ tokens }) => containment(distinctive(tokens), said) < 1 && containment(tellingTokens(tokens), fresh) < 0.9,
  );
  return lost.slice(added.length + calls);
}

const wordsIn = ({ words, assertions }: Section): Bag =>
  words.size > 0 ? words : bagOf(assertions.flatMap(({ tokens }) => tellingTokens(tokens)));

function isUnknownHelper([name = '', next]: readonly string[], helpers: ReadonlyMap<string, number>): boolean {
  const asserts = /^(?:assert|expect|verify|check|should|ensure|must)[A-Z_]\w*$/;
  return next === '(' && asserts.test(name) && !helpers.has(name);
}

/** Values that identify an assertion. */
function distinctive(tokens: readonly string[]): readonly string[] {
  const telling = tellingTokens(tokens);
  const values = telling.filter((token) => /^['\d]/.test(token));
  return values.length > 0 ? values : telling.slice(1);
}

function removedAssertions(change: AssertionChange, lost: readonly Assertion[], subjects: Subjects): Finding[] {
  const [first] = lost;
  if (first === undefined) return [];
  const { path, line, name, assertions } = change.after;
  const excuse = excuseFor(lost, change, subjects);
  const what = lost.length === 1 ? 'An assertion' : `${lost.length} assertions`;
  const where = name === '' ? 'outside of tests' : `in “${name}”`;
  const none = assertions.length === 0 ? ', which asserts nothing now' : '';
  const detail = `${what} ${where} ${lost.length === 1 ? 'was' : 'were'} removed${none}: ${readable(first)}${excuse === null ? '' : `; ${excuse}`}.`;
  return [{ kind: 'assertion-removed', path, line, detail, severity: excuse === null ? 'high' : 'low' }];
}

/** Why assertions may have been removed for a good reason. */
function excuseFor(lost: readonly Assertion[], { after, added }: AssertionChange, { names }: Subjects): string | null {
  if (lost.some(({ tokens }) => tokens.some((token) => names.has(token)))) return 'what it is about is gone too';
  if (added.length > 0) return 'others there were rewritten';
  const kept = new Set(after.assertions.map(keyOf));
  return lost.every(({ normal }) => kept.has(normal)) ? 'the same one is still there' : null;
}

/** New assertions that hold for any code. */
function hollowAssertions({ after: { path, language }, removed, added }: AssertionChange): Finding[] {
  const { tautology, vague } = language;
  return added.flatMap((assertion): Finding[] => {
    const { normal, tokens, line } = assertion;
    const finding = (says: string, severity: Severity): Finding[] => [
      { kind: 'assertion-weakened', path, line, detail: `${readable(assertion)} ${says}.`, severity },
    ];
    if (tautology.test(normal)) return finding('always holds', removed.length > 0 ? 'high' : 'low');
    if (vague?.test(normal) !== true) return [];
    const stronger = removed.find((old) => !vague.test(old.normal) && isSameSubject(old.tokens, tokens));
    return stronger === undefined ? [] : finding(`says less than ${readable(stronger)} did`, 'high');
  });
}

/** The subject is most of a vague assertion: what it shares with the old one, without the old one's value. */
function isSameSubject(old: readonly string[], now: readonly string[]): boolean {
  const subject = tellingTokens(now).slice(1, -1);
  if (subject.length === 0) return likeness(bagOf(old), bagOf(now)) > 0.5;
  return containment(subject, bagOf(old)) === 1;
}

const LONGEST_SHOWN = 80;

/** Tokens as normal code: without the blanks that separate them. */
function readable({ normal }: Assertion): string {
  const text = normal.replace(/ (?=[.,;:)\]([])|(?<=[.([!]) /g, '');
  return `\`${text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN - 1)}…` : text}\``;
}

/** Tests that newly catch what their assertions throw. */
function swallowedFailures({ before, after }: AssertionChange): Finding[] {
  const { path, line, name, assertions, swallows } = after;
  if (assertions.length === 0 || swallows <= before.swallows) return [];
  const detail = `Test “${name}” swallows a failure: it has a new handler that does nothing.`;
  return [{ kind: 'assertion-weakened', path, line, detail, severity: 'low' }];
}

/** New marks that keep tests from running. */
export function newMarks(files: readonly FilePair[], { pairs }: Pairing): Finding[] {
  const origin = new Map(pairs.map(({ before, after }) => [after, before]));
  const left = new Map(bagOf(files.flatMap(({ before }) => (before?.marks ?? []).map((mark) => markKey(mark)))));
  return files.flatMap(({ path, before, after }) =>
    (after?.marks ?? []).flatMap((mark) => {
      const old = mark.test && origin.get(mark.test);
      const key = markKey({ ...mark, test: old ?? mark.test });
      const count = left.get(key) ?? 0;
      left.set(key, count - 1);
      const isNew = before === null || (mark.test !== undefined && old === undefined);
      return count > 0 ? [] : judgeMark(path, mark, isNew);
    }),
  );
}

const markKey = ({ kind, test }: Pick<Mark, 'kind' | 'test'>) => `${kind}\n${test?.name ?? ''}`;

/** @param isNew the test has no earlier version that ran */
function judgeMark(path: string, { kind, test, text, line, conditional }: Mark, isNew: boolean): Finding[] {
  const written = shown(text, 60);
  const name = test === undefined ? '' : ` “${test.name}”`;
  if (kind === 'only') {
    const detail = `${written} selects the test${name}: others of the file no longer run.`;
    return [{ kind: 'test-only-selected', path, line, detail, severity: 'high' }];
  }
  // A new test that only runs where it can is still a new test.
  if (isNew && conditional) return [];
  const why = conditional ? ' under a condition' : isNew ? ', which is new' : '';
  const how = kind === 'return' ? 'returns before its assertions' : `is skipped by ${written}`;
  const detail = `${test === undefined ? 'The file' : `Test${name}`} ${how}${why}.`;
  return [{ kind: 'test-skipped', path, line, detail, severity: why === '' ? 'high' : 'low' }];
}
