import { DONE_KEYS, type Fields } from './prd-shape.ts';

const DONE_WORDS = new Set(
  'done complete completed finished passed passing pass implemented closed merged shipped verified approved resolved true yes'.split(
    ' ',
  ),
);

/** A flag of a story and whether it says that the story is done. */
export interface DoneFlag {
  readonly key: string;
  readonly done: boolean;
}

/**
 * The flag that decides about a story: the first with a value that means something. Only `true` and words of
 * completion are done: an empty array, as some tools write, is not, whatever JavaScript thinks of it. Null when the
 * story has no flag.
 */
export function doneFlag(fields: Fields): DoneFlag | null {
  const present = DONE_KEYS.filter((key) => key in fields);
  const key =
    present.find((name) => typeof fields[name] === 'boolean' || typeof fields[name] === 'string') ?? present[0];
  if (key === undefined) return null;
  return { key, done: isDone(fields[key]) };
}

/** The flag to write, in the words that the other stories of the file use. */
export function writeDone(
  fields: Fields,
  done: boolean,
  all: readonly Fields[],
): { key: string; value: string | boolean } {
  const own = doneFlag(fields)?.key;
  const key = own ?? mostFrequent(all.flatMap((other) => doneFlag(other)?.key ?? [])) ?? 'passes';
  const isWord =
    typeof fields[key] === 'string' || (own === undefined && all.some((other) => typeof other[key] === 'string'));
  if (!isWord) return { key, value: done };
  const words = all.flatMap((other) => (typeof other[key] === 'string' ? [other[key]] : []));
  const used = mostFrequent(words.filter((word) => isDone(word) === done && !/progress|review|block/i.test(word)));
  if (used !== null) return { key, value: used };
  const partner = words[0] ?? '';
  const word = done
    ? /^(todo|open|to do)$/i.test(partner)
      ? 'done'
      : 'completed'
    : /^done$/i.test(partner)
      ? 'todo'
      : 'pending';
  return { key, value: partner !== '' && partner === partner.toUpperCase() ? word.toUpperCase() : word };
}

function isDone(value: unknown): boolean {
  return value === true || (typeof value === 'string' && DONE_WORDS.has(value.trim().toLowerCase()));
}

function mostFrequent(values: readonly string[]): string | null {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  let best: string | null = null;
  for (const [value, count] of counts) if (best === null || count > (counts.get(best) ?? 0)) best = value;
  return best;
}
