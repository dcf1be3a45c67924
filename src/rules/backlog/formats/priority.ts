/** What people write instead of numbers, most urgent first. */
const RANKS: readonly (readonly string[])[] = [
  ['critical', 'blocker', 'urgent', 'highest'],
  ['high', 'must', 'must have', 'must-have', 'important'],
  ['medium', 'normal', 'should', 'should have', 'should-have', 'moderate'],
  ['low', 'could', 'could have', 'could-have', 'minor', 'nice to have', 'nice-to-have'],
  ['lowest', 'trivial', "won't", 'wont', 'optional'],
];

/** A priority as a number (less is sooner): numbers as they are, `P0`, `critical`, `high` …; null when it says nothing. */
export function priorityOf(value: unknown): number | null {
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (typeof value !== 'string') return null;
  const word = value.trim().toLowerCase();
  const number = /^p?(\d+(?:\.\d+)?)$/.exec(word)?.[1];
  if (number !== undefined) return Number(number);
  const rank = RANKS.findIndex((words) => words.includes(word));
  return rank === -1 ? null : rank;
}

/**
 * Priorities for all stories: file order where the file gives none; stories left out of a file that does give some
 * come after the others.
 */
export function fillPriorities(given: readonly (number | null)[]): number[] {
  const highest = given.reduce<number | null>(
    (max, value) => (value === null ? max : Math.max(max ?? value, value)),
    null,
  );
  return given.map((value, index) => value ?? (highest === null ? index + 1 : highest + 1));
}
