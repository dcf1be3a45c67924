/** Words used instead of numbers, most urgent first. */
const RANKS: readonly (readonly string[])[] = [
  ['critical', 'blocker', 'urgent', 'highest', 'immediate', 'asap'],
  ['high', 'must', 'must have', 'must-have', 'important', 'major', 'essential', 'h', 'hoch', 'haute', 'alta', '高'],
  [
    'medium',
    'normal',
    'should',
    'should have',
    'should-have',
    'moderate',
    'med',
    'mid',
    'm',
    'mittel',
    'moyenne',
    'media',
    'média',
    '中',
  ],
  [
    'low',
    'could',
    'could have',
    'could-have',
    'minor',
    'nice to have',
    'nice-to-have',
    'l',
    'niedrig',
    'basse',
    'baja',
    'baixa',
    '低',
  ],
  ['lowest', 'trivial', "won't", 'wont', "won't have", 'wont have', "won't-have", 'optional', 'someday'],
];
const RANK_OF: ReadonlyMap<string, number> = new Map(
  RANKS.flatMap((words, rank) => words.map((word): [string, number] => [word, rank])),
);

/** A priority as a number: plain numbers, `P0`, `critical`, `🔴 High`, `2 (high)`, `Must have`; null when it has no meaning. */
export function priorityOf(value: unknown): number | null {
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (typeof value !== 'string') return null;
  const word = value
    .toLowerCase()
    .replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, '')
    .replace(/\u2019/g, "'");
  const number = /^(?:p|prio|priority)?[\s-]*(\d+(?:\.\d+)?)(?![\p{L}\p{N}])/u.exec(word)?.[1];
  if (number !== undefined) return Number(number);
  const level = /\(p(\d)\)?$/.exec(word)?.[1];
  if (level !== undefined) return Number(level);
  const parts = [word, word.split(/\s*[(:\u2013\u2014,/]|\s-\s/)[0] ?? '', word.replace(/[\s-]+priority$/, '')];
  for (const part of parts) {
    const rank = RANK_OF.get(part.trim());
    if (rank !== undefined) return rank;
  }
  return null;
}

/** Priorities for all stories: file order when the file gives none; if it gives some, stories without one come last. */
export function fillPriorities(given: readonly (number | null)[]): number[] {
  const highest = given.reduce<number | null>(
    (max, value) => (value === null ? max : Math.max(max ?? value, value)),
    null,
  );
  return given.map((value, index) => value ?? (highest === null ? index + 1 : highest + 1));
}
