import { type Fields, foldKey, keyCalled } from './keys.ts';
import { type Standing, standingOf } from './status-words.ts';

/** Words that go together, by what the file uses: the pattern, the word for done, the word for open. */
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

/**
 * The word for done or open work in the words that the file uses.
 *
 * @param like the word to replace, or one of another story
 * @param words all words under the same key
 * @param key what the flag is called
 * @param all the stories: some tools know words of their own
 */
export function markWords(
  done: boolean,
  like: string,
  words: readonly string[],
  key: string,
  all: readonly Fields[],
): string {
  if (/^(?:true|false)$/i.test(like.trim())) return likeCase(String(done), like);
  if (/^\s*\d{1,3}\s*%\s*$/.test(like)) return done ? '100%' : '0%';
  const wanted: Standing = done ? 'done' : 'open';
  const counts = new Map<string, number>();
  for (const word of words) {
    const isPlain = word.length < 40 && !/\d|progress|review|partial|not yet/i.test(word);
    if (isPlain && standingOf(word) === wanted) counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  const [used] = [...counts].toSorted((a, b) => b[1] - a[1]);
  if (used) return used[0];
  const [, doneWord, openWord] = pairFor(words, key, all);
  return likeCase(done ? doneWord : openWord, words[0] ?? '');
}

function pairFor(words: readonly string[], key: string, all: readonly Fields[]): Pair {
  // Task Master knows `done`, trackers know `closed`; neither knows `completed`.
  if (all.some(isOfTaskMaster)) return [/^/, 'done', 'pending'];
  const isTracker = foldKey(key) === 'state' || all.some((fields) => keyCalled(fields, 'issuetype') !== undefined);
  if (isTracker && words.some((word) => /^(?:open|closed)$/i.test(word))) return [/^/, 'closed', 'open'];
  return PAIRS.find(([pattern]) => words.some((word) => pattern.test(word.trim()))) ?? USUAL;
}

function isOfTaskMaster(fields: Fields): boolean {
  const has = (name: string): boolean => keyCalled(fields, name) !== undefined;
  return has('teststrategy') || (has('subtasks') && has('dependencies'));
}

function likeCase(word: string, like: string): string {
  const letters = like.replace(/[^\p{L}]/gu, '');
  if (letters === '') return word;
  if (letters === letters.toUpperCase() && (letters.length > 1 || word.length === 1)) return word.toUpperCase();
  return /^\p{Lu}/u.test(letters) ? `${word[0]?.toUpperCase()}${word.slice(1)}` : word;
}
