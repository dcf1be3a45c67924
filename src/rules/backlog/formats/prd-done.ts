import {
  type Fields,
  foldKey,
  hasAny,
  isEmpty,
  isFields,
  keyCalled,
  membersCalled,
  NAMES,
  titleOf,
  valueCalled,
} from './prd-names.ts';
import { type Standing, standingOf } from './standing.ts';
import { mostFrequent } from './text.ts';

/** Keys for a done flag when the file has none, best first; a key with another value is left alone. */
const NEW_FLAGS = ['passes', 'done', 'completed', 'isDone'];

/** A change to a story: the keys down to the value, and the value; undefined removes the member. */
type Marks = readonly (readonly [readonly string[], string | boolean | number | undefined])[];

/** A tick in the title of a story that has no other flag. */
const TICKED = /^\s*(?:[\u2705\u2714\u2611]|\[[xX\u2713]\])|(?:\u2705\uFE0F?|[([](?:done|completed?)[\])])\s*$/iu;

/** Whether a story is done: its flag, else what lists say about it, else a date of completion, else its title. */
export function isDone(fields: Fields, list: boolean | null): boolean {
  const flag = doneFlag(fields);
  // On a board `closed: false` says that a card is not archived; its column says whether it is done.
  const isUnarchived = list !== null && flag?.value === false && foldKey(flag.path[0] ?? '') === 'closed';
  if (flag && !isUnarchived) return flag.standing === 'done';
  return list ?? (isDated(fields, NAMES.doneDate) || TICKED.test(titleOf(fields)?.title ?? ''));
}

function isDated(fields: Fields, names: readonly string[]): boolean {
  return membersCalled(fields, names).some(({ value }) => typeof value === 'string' && value !== '');
}

/** Whether a tool only keeps an entry for its history: deleted, archived, a tombstone. */
export function isGone(fields: Fields): boolean {
  return (
    membersCalled(fields, NAMES.gone).some(({ value }) => value === true) ||
    isDated(fields, NAMES.goneDate) ||
    doneFlag(fields)?.standing === 'gone'
  );
}

/** Why a story is on hold, according to its own fields; null when it is not. */
export function blockedReason(fields: Fields): string | null {
  const reasons = membersCalled(fields, NAMES.holdReason).map(({ value }) =>
    typeof value === 'string' ? value.trim() : '',
  );
  const reason = reasons.find((text) => text !== '');
  for (const { name, value } of membersCalled(fields, NAMES.hold)) {
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

/** The changes that unblock a story; its flag gets the word for open work. */
export function unblock(fields: Fields, all: readonly Fields[]): Marks {
  const changes = membersCalled(fields, [...NAMES.hold, ...NAMES.holdReason]).flatMap(({ key, value }): Marks => {
    if (!(value === true || typeof value === 'string' || isFields(value))) return [];
    return [[[key], value === true ? false : undefined]];
  });
  return doneFlag(fields)?.standing === 'off' ? [...changes, writeDone(fields, false, all)] : changes;
}

/** The flag to write, in the words that the file's other stories use. */
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

/** The flag that the other stories have, unless this story uses that key for something else. */
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

interface DoneFlag {
  /** The path to its value: one key, or several (`status.state`, `fields.status.name`). */
  readonly path: readonly string[];
  readonly value: unknown;
  readonly standing: Standing;
}

/**
 * The first flag with a meaningful value. Only `true` and words of completion mean done: an empty array, which some
 * tools write, does not. Objects are searched inside; one without such a value, and a non-empty list, are no flags.
 */
export function doneFlag(fields: Fields): DoneFlag | null {
  let empty: DoneFlag | null = null;
  for (const { name, key, value } of membersCalled(fields, NAMES.done)) {
    if (speaks(name, value)) return { path: [key], value, standing: standingIn(fields, value) };
    // It can be written over without losing anything.
    if (isEmpty(value)) empty ??= { path: [key], value, standing: 'open' };
    else if (isFields(value)) {
      const inner = insideFlag(value);
      if (inner) return { ...inner, path: [key, ...inner.path] };
    }
  }
  return wrappedFlag(fields) ?? empty ?? progressFlag(fields);
}

/** The longest word for the way in which something was closed: `not planned`, `won't do`. Longer texts are prose. */
const LONGEST_WORD = 20;

/** Trackers close what they call off, too, and say elsewhere how it was resolved. */
function standingIn(fields: Fields, value: unknown): Standing {
  const said = standing(value);
  if (said !== 'done') return said;
  return resolvedOff(fields).length > 0 ? 'off' : 'done';
}

/** The changes that take out how a story was closed without being done. */
export function resolvedOff(fields: Fields): Marks {
  return membersCalled(fields, NAMES.resolution).flatMap(({ key, value }): Marks => {
    const isOff = typeof value === 'string' && value.length < LONGEST_WORD && standingOf(value) === 'off';
    return isOff ? [[[key], undefined]] : [];
  });
}

function insideFlag(object: Fields): DoneFlag | null {
  const found = membersCalled(object, NAMES.doneInside).find(({ name, value }) => speaks(name, value));
  return found ? { path: [found.key], value: found.value, standing: standing(found.value) } : null;
}

/** Some trackers wrap the fields of a story once more, under `fields`. */
function wrappedFlag(fields: Fields): DoneFlag | null {
  const [wrapper] = membersCalled(fields, ['fields']);
  const inner = wrapper?.value;
  const flag = isFields(inner) && keyCalled(inner, 'fields') === undefined ? doneFlag(inner) : null;
  return flag && wrapper ? { ...flag, path: [wrapper.key, ...flag.path] } : null;
}

function progressFlag(fields: Fields): DoneFlag | null {
  for (const { key, value } of membersCalled(fields, NAMES.progress)) {
    if (typeof value === 'number') return { path: [key], value, standing: value === 100 ? 'done' : 'open' };
    if (typeof value === 'string' && /^\s*\d{1,3}\s*%\s*$/.test(value)) {
      return { path: [key], value, standing: standingOf(value) };
    }
  }
  const verdict = membersCalled(fields, NAMES.verdict).find(({ value }) => /^\p{L}+$/u.test(String(value)));
  return verdict ? { path: [verdict.key], value: verdict.value, standing: standing(verdict.value) } : null;
}

function speaks(name: string, value: unknown): boolean {
  if (typeof value === 'boolean') return true;
  if (typeof value === 'string') return value.trim() !== '' && !NAMES.doneBoolean.includes(name);
  return (value === 0 || value === 1) && NAMES.doneNumber.includes(name);
}

function standing(value: unknown): Standing {
  if (value === true || value === 1) return 'done';
  return typeof value === 'string' ? standingOf(value) : 'open';
}

/** A pair of words the file may use: the pattern, the word for done, the word for open. */
type Pair = readonly [RegExp, string, string];
const USUAL: Pair = [/^/, 'completed', 'pending'];
const PAIRS: readonly Pair[] = [
  [/^(?:to[ _-]?do|open|done)$/i, 'done', 'todo'],
  [/^(?:yes|no)$/i, 'yes', 'no'],
  [/^[yn]$/i, 'y', 'n'],
  [/^(?:pass|fail)(?:ed|ing)?$/i, 'passed', 'failing'],
  [/^(?:offen|erledigt)/i, 'erledigt', 'offen'],
  [/^(?:à faire|en cours|terminée?)$/i, 'terminé', 'à faire'],
  [/^(?:pendiente|completad[oa])/i, 'completado', 'pendiente'],
  [/^(?:voltooid|te doen)/i, 'voltooid', 'te doen'],
];

/** The word for done or open work, in the file's vocabulary. @param like the word to replace, or another story's */
export function markWords(
  done: boolean,
  like: string,
  words: readonly string[],
  key = '',
  all: readonly Fields[] = [],
): string {
  if (/^(?:true|false)$/i.test(like.trim())) return likeCase(String(done), like);
  if (/^\s*\d{1,3}\s*%\s*$/.test(like)) return done ? '100%' : '0%';
  const wanted: Standing = done ? 'done' : 'open';
  const isPlain = (word: string): boolean => word.length < 40 && !/\d|progress|review|partial|not yet/i.test(word);
  const used = mostFrequent(words.filter((word) => isPlain(word) && standingOf(word) === wanted));
  if (used !== null) return used;
  if (/^[^\p{L}]+$/u.test(like)) return done ? '\u2705' : '\u2B1C';
  const [, doneWord, openWord] = pairFor(words, key, all);
  return likeCase(done ? doneWord : openWord, words[0] ?? '');
}

function pairFor(words: readonly string[], key: string, all: readonly Fields[]): Pair {
  // Task Master knows `done`, trackers know `closed`; neither knows `completed`.
  if (all.some(isOfTaskMaster)) return [/^/, 'done', 'pending'];
  const isTracker = foldKey(key) === 'state' || all.some((fields) => hasAny(fields, ['issuetype']));
  if (isTracker && words.some((word) => /^(?:open|closed)$/i.test(word))) return [/^/, 'closed', 'open'];
  return PAIRS.find(([pattern]) => words.some((word) => pattern.test(word.trim()))) ?? USUAL;
}

function isOfTaskMaster(fields: Fields): boolean {
  return hasAny(fields, ['teststrategy']) || (hasAny(fields, ['subtasks']) && hasAny(fields, ['dependencies']));
}

function likeCase(word: string, like: string): string {
  const letters = like.replace(/[^\p{L}]/gu, '');
  if (letters === '') return word;
  if (letters === letters.toUpperCase() && (letters.length > 1 || word.length === 1)) return word.toUpperCase();
  return /^\p{Lu}/u.test(letters) ? `${word[0]?.toUpperCase()}${word.slice(1)}` : word;
}
