import { type Fields, foldKey, isFields, keyCalled, valueCalled } from './keys.ts';
import { doneFlag } from './prd-flag.ts';
import { markWords } from './prd-words.ts';

/** A date there says that the story is done, where nothing else says anything. */
const DATES = ['completedat', 'completeddate', 'doneat', 'finishedat', 'completedon'];
/** Names of what holds a story up: a reason, or a mere flag beside one. */
const REASONS = ['blockedreason', 'blockreason', 'blockingreason', 'blocker', 'skipreason'];
const HOLDS = ['blocked', 'isblocked', 'skipped', 'skip', 'cancelled', 'canceled', 'obsolete', 'wontfix'];
/** Where a mark is written when the file has none, in this order; what already holds something else is left alone. */
const NEW_FLAGS = ['passes', 'done', 'completed', 'isDone'];

/** A change to a story: the keys down to the value, and the value; undefined takes the member away. */
export type Marks = readonly (readonly [readonly string[], string | boolean | number | undefined])[];

/** Whether a story is done: its flag, else the list that it stands in, else a date of completion. */
export function isDone(fields: Fields, list: boolean | null): boolean {
  const flag = doneFlag(fields);
  // On a board `closed: false` says that a card is not archived; its column says whether it is done.
  const isUnarchived = list !== null && flag?.value === false && foldKey(flag.path[0] ?? '') === 'closed';
  if (flag && !isUnarchived) return flag.standing === 'done';
  return (
    list ?? DATES.some((name) => typeof valueCalled(fields, name) === 'string' && valueCalled(fields, name) !== '')
  );
}

/** Why nobody should work on a story, as far as its own fields say so; null when it is free. */
export function blockedReason(fields: Fields): string | null {
  const reason = firstText(REASONS.map((name) => valueCalled(fields, name)));
  for (const name of HOLDS) {
    const value = valueCalled(fields, name);
    if (typeof value === 'string' && value.trim() !== '' && !/^(?:false|no|none|n\/a|-)$/i.test(value.trim())) {
      return value.trim().toLowerCase() === 'true' ? (reason ?? said(name)) : value.trim();
    }
    if (value === true) return reason ?? said(name);
    const inner = isFields(value) ? valueCalled(value, 'reason') : null;
    if (typeof inner === 'string' && inner.trim() !== '') return inner;
    if (value === false) return null;
  }
  const flag = doneFlag(fields);
  if (flag?.standing !== 'off') return null;
  return reason ?? said(String(flag.value).trim());
}

/** What takes a story out of its block; its flag gets the word for open work. */
export function unblock(fields: Fields, all: readonly Fields[]): Marks {
  const changes = [...HOLDS, ...REASONS].flatMap((name): Marks => {
    const key = keyCalled(fields, name);
    const value = key === undefined ? undefined : fields[key];
    if (key === undefined || !(value === true || typeof value === 'string' || isFields(value))) return [];
    return [[[key], value === true ? false : undefined]];
  });
  return doneFlag(fields)?.standing === 'off' ? [...changes, writeDone(fields, false, all)] : changes;
}

/** The flag to write, in the words that the other stories of the file use. */
export function writeDone(fields: Fields, done: boolean, all: readonly Fields[]): Marks[number] {
  const own = doneFlag(fields);
  const path = own?.path ?? newFlag(fields, all);
  const others = all.flatMap((other) => {
    const value = valueAt(other, path);
    return value === undefined || value === null ? [] : [value];
  });
  const like = own === null || own.value === null ? others[0] : own.value;
  if (typeof like === 'number') return [path, done ? (isPercent(path, others) ? 100 : 1) : 0];
  if (typeof like !== 'string') return [path, done];
  const words = others.filter((value) => typeof value === 'string');
  return [path, markWords(done, like, words, path.at(-1) ?? '', all)];
}

function isPercent(path: readonly string[], values: readonly unknown[]): boolean {
  return /progress|percent/i.test(path.at(-1) ?? '') || values.some((value) => typeof value === 'number' && value > 1);
}

/** The flag that the other stories have, unless something else stands in its place here. */
function newFlag(fields: Fields, all: readonly Fields[]): readonly string[] {
  const used = all.flatMap((other) => {
    const path = doneFlag(other)?.path;
    return path?.length === 1 && path[0] !== undefined ? [path[0]] : [];
  });
  const free = [mostFrequent(used) ?? 'passes', ...NEW_FLAGS].find(
    (key) => keyCalled(fields, foldKey(key)) === undefined,
  );
  return [free ?? 'markedDone'];
}

function valueAt(fields: Fields, path: readonly string[]): unknown {
  return path.reduce<unknown>((node, key) => (isFields(node) ? node[key] : undefined), fields);
}

function said(word: string): string {
  return `the backlog says: ${word}`;
}

function firstText(values: readonly unknown[]): string | null {
  const found = values.find((value) => typeof value === 'string' && value.trim() !== '');
  return typeof found === 'string' ? found.trim() : null;
}

/** The value that comes most often, the first of equals; null when there are none. */
function mostFrequent(values: readonly string[]): string | null {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  let best: string | null = null;
  for (const [value, count] of counts) if (best === null || count > (counts.get(best) ?? 0)) best = value;
  return best;
}
