import type { TamperFinding } from '../api.ts';
import type { Assertion, Section } from '../outline/outline.ts';
import { type Bag, bagOf, containment, mergeBags, surplus, tellingTokens } from '../source/tokens.ts';
import type { AssertionChange } from './assertion-changes.ts';
import type { Subjects } from './context.ts';
import type { FilePair } from './pair.ts';
import { readable } from './readable.ts';

/** Assertions that are gone, unit by unit. */
export function removedAssertions(
  changes: readonly AssertionChange[],
  files: readonly FilePair[],
  subjects: Subjects,
): TamperFinding[] {
  const helpers = helperWeights(files);
  const fresh = mergeBags(files.filter(({ before }) => before === null).map(({ after }) => after?.words ?? new Map()));
  return changes.flatMap((change): TamperFinding[] => {
    const lost = lostOf(change, helpers, fresh);
    if (lost.length === 0) return [];
    const { path, after } = change;
    const excuse = excuseFor(lost, change, subjects);
    const detail = `${described(lost, after)}${excuse === null ? '' : `; ${excuse}`}.`;
    return [{ kind: 'assertion-removed', path, line: after.line, detail, severity: excuse === null ? 'high' : 'low' }];
  });
}

function described(lost: readonly Assertion[], { unit, assertions }: Section): string {
  const where = unit.kind === 'file' ? 'outside of tests' : `in “${unit.name}”`;
  const none = assertions.length === 0 ? ', which asserts nothing now' : '';
  const count = lost.length === 1 ? 'An assertion' : `${lost.length} assertions`;
  return `${count} ${where} ${lost.length === 1 ? 'was' : 'were'} removed${none}: \`${readable(lost[0]?.normal ?? '')}\``;
}

/** Why assertions may have gone for a good reason. */
function excuseFor(lost: readonly Assertion[], { after, added }: AssertionChange, { names }: Subjects): string | null {
  if (lost.some(({ tokens }) => tokens.some((token) => names.has(token)))) return 'what it is about is gone too';
  if (added.length > 0) return 'others there were rewritten';
  const kept = new Set(after.assertions.map(({ normal }) => normal));
  return lost.every(({ normal }) => kept.has(normal)) ? 'the same one is still there' : null;
}

/** Helpers of the change's test files by name, with how often each asserts. */
function helperWeights(files: readonly FilePair[]): ReadonlyMap<string, number> {
  const weights = new Map<string, number>();
  for (const { after } of files) {
    for (const { unit, assertions } of after?.helpers ?? []) {
      weights.set(unit.name, assertions.length);
    }
  }
  return weights;
}

/** What was removed and not rewritten one for one, taken in by a helper, a bigger assertion, a table or a loop. */
function lostOf(change: AssertionChange, helpers: ReadonlyMap<string, number>, fresh: Bag): readonly Assertion[] {
  const { before, after, removed, added } = change;
  const won = surplus(wordsIn(after), wordsIn(before));
  const calls = [...won].reduce((sum, [word, count]) => sum + count * (helpers.get(word) ?? 0), 0);
  // What a helper asserts that this change does not show is not known: it may take in any number.
  if (added.some(({ tokens }) => isUnknownHelper(tokens, helpers))) return [];
  const said = mergeBags([won, bagOf(added.flatMap(({ tokens }) => tellingTokens(tokens)))]);
  const spoken = removed.filter(({ tokens }) => {
    const values = distinctive(tokens);
    return containment(values, said) < 1 && containment(tellingTokens(tokens), fresh) < 0.9;
  });
  return spoken.slice(Math.min(spoken.length, added.length + calls));
}

const wordsIn = ({ words, assertions }: Section): Bag =>
  words.size > 0 ? words : bagOf(assertions.flatMap(({ tokens }) => tellingTokens(tokens)));

function isUnknownHelper(tokens: readonly string[], helpers: ReadonlyMap<string, number>): boolean {
  const [name = '', next] = tokens;
  return (
    next === '(' && /^(?:assert|expect|verify|check|should|ensure|must)[A-Z_]\w*$/.test(name) && !helpers.has(name)
  );
}

/** Values of an assertion that say which one it is. */
function distinctive(tokens: readonly string[]): readonly string[] {
  const telling = tellingTokens(tokens);
  const values = telling.filter((token) => /^['\d]/.test(token));
  return values.length > 0 ? values : telling.slice(1);
}
