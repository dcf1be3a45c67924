import type { TamperFinding } from './change.ts';
import type { Subjects } from './deleted.ts';
import type { Language } from './languages.ts';
import type { FilePair, Pairing } from './pair.ts';
import type { Assertion, Section } from './test-file.ts';
import { type Bag, bagOf, containment, likeness, mergeBags, surplus, tellingTokens } from './tokens.ts';

/** What happened to the assertions of one remaining test, or of the code outside tests. */
interface AssertionChange {
  readonly path: string;
  readonly language: Language;
  readonly before: Section;
  readonly after: Section;
  /** Removed here and not found elsewhere. */
  readonly removed: readonly Assertion[];
  /** New here. */
  readonly added: readonly Assertion[];
}

/** Assertions that were removed, that say less, or that hold for any code. */
export function weakenedAssertions(files: readonly FilePair[], pairing: Pairing, subjects: Subjects): TamperFinding[] {
  const changes = assertionChanges(files, pairing);
  const helpers = new Map(files.flatMap(({ after }) => [...(after?.helpers ?? [])]));
  const fresh = mergeBags(files.filter(({ before }) => before === null).map(({ after }) => after?.words ?? new Map()));
  return changes.flatMap((change) => [
    ...removedAssertions(change, lostOf(change, helpers, fresh), subjects),
    ...hollowAssertions(change),
  ]);
}

/** What each test lost and gained; moves between tests are already excluded. */
function assertionChanges(files: readonly FilePair[], { pairs, added }: Pairing): readonly AssertionChange[] {
  const changes = [
    ...pairs.flatMap(({ before, after }) => {
      const { path, after: file } = after.file;
      return file === null || before.test.normal === after.test.normal
        ? []
        : [changeOf(path, file.language, before.test, after.test)];
    }),
    ...files.flatMap(({ path, before, after }) =>
      before === null || after === null ? [] : [changeOf(path, after.language, before.loose, after.loose)],
    ),
  ];
  const elsewhere = [
    ...added.flatMap(({ test }) => test.assertions),
    ...files.flatMap(({ before, after }) => (before === null ? (after?.loose.assertions ?? []) : [])),
  ];
  const moved = movedAssertions(changes, elsewhere);
  return changes.map((change) => ({
    ...change,
    removed: change.removed.filter((assertion) => !moved.has(assertion)),
    added: change.added.filter((assertion) => !moved.has(assertion)),
  }));
}

function changeOf(path: string, language: Language, before: Section, after: Section): AssertionChange {
  const removed = without(before.assertions, after.assertions);
  return { path, language, before, after, removed, added: without(after.assertions, before.assertions) };
}

/** Members of `left` that `right` lacks; equal ones are counted. */
function without(left: readonly Assertion[], right: readonly Assertion[]): readonly Assertion[] {
  const rest = new Map(bagOf(right.map(({ normal }) => normal)));
  return left.filter(({ normal }) => {
    const count = rest.get(normal) ?? 0;
    rest.set(normal, count - 1);
    return count <= 0;
  });
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
  const won = surplus(wordsIn(after), wordsIn(before));
  const calls = [...won].reduce((sum, [word, count]) => sum + count * (helpers.get(word) ?? 0), 0);
  // What a helper outside this change asserts is unknown: it may absorb any number.
  if (added.some(({ tokens }) => isUnknownHelper(tokens, helpers))) return [];
  const said = mergeBags([won, bagOf(added.flatMap(({ tokens }) => tellingTokens(tokens)))]);
  const spoken = removed.filter(
    ({ tokens }) => containment(distinctive(tokens), said) < 1 && containment(tellingTokens(tokens), fresh) < 0.9,
  );
  return spoken.slice(Math.min(spoken.length, added.length + calls));
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

function removedAssertions(change: AssertionChange, lost: readonly Assertion[], subjects: Subjects): TamperFinding[] {
  const [first] = lost;
  if (first === undefined) return [];
  const { path, after } = change;
  const excuse = excuseFor(lost, change, subjects);
  const where = after.name === '' ? 'outside of tests' : `in “${after.name}”`;
  const what =
    lost.length === 1 ? `An assertion ${where} was removed` : `${lost.length} assertions ${where} were removed`;
  const none = after.assertions.length === 0 ? ', which asserts nothing now' : '';
  const detail = `${what}${none}: \`${readable(first.normal)}\`${excuse === null ? '' : `; ${excuse}`}.`;
  return [{ kind: 'assertion-removed', path, line: after.line, detail, severity: excuse === null ? 'high' : 'low' }];
}

/** Why assertions may have been removed for a good reason. */
function excuseFor(lost: readonly Assertion[], { after, added }: AssertionChange, { names }: Subjects): string | null {
  if (lost.some(({ tokens }) => tokens.some((token) => names.has(token)))) return 'what it is about is gone too';
  if (added.length > 0) return 'others there were rewritten';
  const kept = new Set(after.assertions.map(({ normal }) => normal));
  return lost.every(({ normal }) => kept.has(normal)) ? 'the same one is still there' : null;
}

/** New assertions that hold for any code. */
function hollowAssertions({ path, language, removed, added }: AssertionChange): TamperFinding[] {
  const { tautology, vague } = language;
  return added.flatMap(({ normal, tokens, line }): TamperFinding[] => {
    const finding = (says: string, severity: TamperFinding['severity']): TamperFinding[] => [
      { kind: 'assertion-weakened', path, line, detail: `\`${readable(normal)}\` ${says}.`, severity },
    ];
    if (tautology.test(normal)) return finding('holds whatever the code does', removed.length > 0 ? 'high' : 'low');
    if (vague?.test(normal) !== true) return [];
    const stronger = removed.find((old) => !vague.test(old.normal) && isSameSubject(old.tokens, tokens));
    return stronger === undefined ? [] : finding(`says less than \`${readable(stronger.normal)}\` did`, 'high');
  });
}

/** The subject is most of a vague assertion: what it shares with the old one, without the old one's value. */
function isSameSubject(old: readonly string[], now: readonly string[]): boolean {
  const subject = tellingTokens(now).slice(1, -1);
  if (subject.length === 0) return likeness(bagOf(old), bagOf(now)) > 0.5;
  return containment(subject, bagOf(old)) === 1;
}

const LONGEST_SHOWN = 80;

/** Tokens as normal code: without the blanks that separate them. Truncated. */
function readable(tokens: string): string {
  const text = tokens.replace(/ (?=[.,;:)\]([])|(?<=[.([!]) /g, '');
  return text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN - 1)}…` : text;
}
