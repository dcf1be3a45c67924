import type { BacklogFormat, Problem } from '../../../contracts/index.ts';
import { children, elementStarts, locate } from './json.ts';
import { isDone, isGone } from './prd-done.ts';
import { verificationOf } from './prd-fields.ts';
import {
  currentPart,
  GONE_LIST,
  hasFlag,
  isGoneColumn,
  isStory,
  isStoryName,
  type NamedItem,
  nodeAt,
  type Path,
  type StoryList,
} from './prd-lists.ts';
import { foldKey, isFields, itemsOf } from './prd-names.ts';
import { error, lineAt, warning } from './text.ts';

interface Place {
  readonly text: string;
  readonly file: string;
  readonly items: readonly NamedItem[];
  readonly starts: readonly number[];
  readonly lines: readonly number[];
}

const DEEPEST_LEFT_OUT = 8;
/** Longer files were written by programs, which do not repeat a key; searching them takes a while. */
const READ_CLOSELY = 1_000_000;
const SHOWN = 60;

/** Oddities in a document of stories that do not make it unreadable. */
export function notesOn(document: unknown, lists: readonly StoryList[], place: Place): Problem[] {
  return [
    ...lists.flatMap((list) => oddEntries(document, list, place)),
    ...leftOut(document, lists, place),
    ...repeatedKeys(place),
    ...refusedCommands(document, place),
  ];
}

/** Entries of a list that are not stories, such as a remark between them. */
function oddEntries(document: unknown, list: StoryList, { text, file }: Place): Problem[] {
  const node = nodeAt(document, list.path);
  if (!Array.isArray(node) || list.items.length + list.gone.length === list.size) return [];
  const starts = elementStarts(text, locate(text, list.path) ?? 0, list.size);
  return node.flatMap((entry: unknown, index): Problem[] => {
    if (isFields(entry)) return [];
    const said = JSON.stringify(entry).slice(0, SHOWN);
    const message = `entry ${index + 1} of ${nameOf(list.path)} is not a story and is left out: ${said}`;
    const fix = 'Write it as {"id": …, "title": …}, or remove it.';
    return [warning('schema/type', file, lineAt(text, starts[index] ?? 0), message, fix)];
  });
}

/** A list whose entries are not worked on, and why. */
interface LeftOut {
  readonly path: Path;
  readonly count: number;
  readonly why: 'gone' | 'not current' | 'not chosen';
}

/** Work that is not worked on: entries that are gone, lists that are not the current one, lists beside those in use. */
function leftOut(document: unknown, lists: readonly StoryList[], { text, file }: Place): Problem[] {
  const taken = new Set(lists.map((list) => list.path.join('\0')));
  const current = currentPart(document)?.join('\0') ?? null;
  const isTaken = current !== null && [...taken].every((path) => path.startsWith(current));
  const found: LeftOut[] = lists
    .filter(({ gone }) => gone.length > 0)
    .map(({ path, gone }) => ({ path, count: gone.length, why: 'gone' }));
  const visit = (node: unknown, path: Path, above: LeftOut['why']): void => {
    if (path.length > DEEPEST_LEFT_OUT || taken.has(path.join('\0'))) return;
    const name = foldKey(String(path.findLast((key) => typeof key === 'string') ?? ''));
    const isOut = (isFields(node) && path.length > 0 && (isGone(node) || isGoneColumn(node))) || GONE_LIST.test(name);
    const why = isOut ? 'gone' : above;
    const items = Array.isArray(node) ? itemsOf(node) : [];
    if (Array.isArray(node) && items.length > 0 && items.length === node.length && items.every(isStory)) {
      const isAbove = lists.some((list) => path.every((key, at) => list.path[at] === key));
      const isWork = isStoryName(name) && items.every(hasFlag);
      const isOpen = items.some(({ fields }) => !isDone(fields, null) && !isGone(fields));
      if (!isAbove && (why === 'gone' || (isWork && (isOpen || why === 'not current')))) {
        found.push({ path, count: items.length, why });
        return;
      }
    }
    const inner = Array.isArray(node) ? [...node.entries()] : isFields(node) ? Object.entries(node) : [];
    for (const [key, value] of inner) {
      const at = [...path, key];
      const isOther = isTaken && !current.startsWith(at.join('\0'));
      if (value !== null && typeof value === 'object') visit(value, at, isOther ? 'not current' : why);
    }
  };
  visit(document, [], 'not chosen');
  const used = lists
    .map((list) => nameOf(list.path))
    .slice(0, 3)
    .join(', ');
  const WORDS = {
    gone: 'archived or deleted, so left out',
    'not current': `left out: the current list is ${used}`,
    'not chosen': `left out: worked on is ${used}`,
  };
  return found.map(({ path, count, why }) => {
    const [entries, are] = count === 1 ? ['entry', 'is'] : ['entries', 'are'];
    const looks = why === 'not chosen' ? (count === 1 ? 'looks like a story and ' : 'look like stories and ') : '';
    const message = `${count} ${entries} under ${nameOf(path)} ${looks}${are} ${WORDS[why]}`;
    return warning('schema/left-out', file, lineAt(text, locate(text, path) ?? 0), message, LEFT_OUT);
  });
}

const LEFT_OUT = 'Put into one list what is to be worked on.';

/** A key that a story has twice: the last one counts, which is hardly intended. */
function repeatedKeys({ text, file, items, starts, lines }: Place): Problem[] {
  if (text.length > READ_CLOSELY) return [];
  return items.flatMap((_item, index): Problem[] => {
    const keys = children(text, starts[index] ?? 0).map(({ key }) => key);
    const twice = keys.find((key, at) => keys.indexOf(key) !== at);
    if (twice === undefined) return [];
    const message = `a story has "${twice}" twice; the last one counts`;
    return [warning('schema/repeated-key', file, lines[index] ?? 1, message, 'Remove one of the two.')];
  });
}

/** Values under a key for commands, or for checks of the whole document, that were not accepted as checks. */
function refusedCommands(document: unknown, { text, file, items, lines }: Place): Problem[] {
  const note = (refused: readonly string[], line: number, what: string): Problem[] => {
    const [first] = refused;
    if (first === undefined) return [];
    const more = refused.length > 1 ? ` (and ${refused.length - 1} more)` : '';
    const message = `not taken as a check: "${first.slice(0, SHOWN)}"${more}; ${what}`;
    return [warning('schema/check', file, line, message, 'Write one command that ends by itself, such as `npm test`.')];
  };
  const atTop = isFields(document) ? verificationOf(document, true).prose : [];
  const refused = items.map(({ fields }) => verificationOf(fields).refused);
  const line = lines[refused.findIndex((commands) => commands.length > 0)] ?? 1;
  return [
    ...note(atTop, lineAt(text, text.search(/\S/)), 'it is at the top level, where no story has it as a criterion'),
    ...note(refused.flat(), line, 'it is a criterion instead'),
  ];
}

function nameOf(path: Path): string {
  return path.join('.') || 'the top';
}

const NAMED = 3;
const DEEPEST = 16;

/** Why a JSON document is not a backlog, with what it contains instead. */
export function noStories(value: unknown, text: string, file: string, asked: BacklogFormat): Problem {
  const line = lineAt(text, text.search(/\S/));
  if (!Array.isArray(value) && !isFields(value)) {
    const message = 'the file must hold an object with a list of stories';
    return error('schema/no-stories', file, line, message, 'Write {"userStories": [ … ]}.');
  }
  const found = findings(value);
  if (asked === 'tasks-json' && found.length === 0) {
    const fix = 'Add "userStories": an array of stories.';
    return error('schema/required', file, line, '"userStories" is missing', fix);
  }
  const shown = found
    .toSorted((a, b) => b.count - a.count)
    .slice(0, NAMED)
    .map(
      ({ count, place, why }) =>
        `${count} ${count === 1 ? 'entry' : 'entries'} under ${place} ${why[count === 1 ? 0 : 1]}`,
    );
  const message = `no list of stories was found in this document${shown.length > 0 ? `: ${shown.join(', ')}` : ''}`;
  const fix = 'Put the stories into "userStories", each with an "id", a "title" and "passes".';
  return error('schema/no-stories', file, line, message, fix);
}

/** Why a list is none of stories: about one entry, about several. */
type Reason = readonly [string, string];
const NO_FLAG: Reason = ['has no done flag', 'have no done flag'];
const PLAIN_TEXT: Reason = ['is plain text', 'are plain text, without a place for a done flag'];
const NOT_WORK: Reason = ['has a status, but is not called a story', 'have a status, but are not called stories'];

/** The lists most similar to a backlog. */
function findings(
  node: unknown,
  path: readonly string[] = [],
): readonly { readonly place: string; readonly count: number; readonly why: Reason }[] {
  if (path.length > DEEPEST) return [];
  if (isFields(node)) return Object.entries(node).flatMap(([key, value]) => findings(value, [...path, key]));
  if (!Array.isArray(node)) return [];
  const items = itemsOf(node);
  const place = nameOf(path);
  if (items.length > 0 && items.every(isStory)) {
    return [{ place, count: items.length, why: items.every(hasFlag) ? NOT_WORK : NO_FLAG }];
  }
  const count = node.filter((entry) => typeof entry === 'string').length;
  const isCalledWork = /(?:stories|tasks|todos?|features|items|issues|backlog)$/.test(foldKey(path.at(-1) ?? ''));
  return count > 0 && isCalledWork ? [{ place, count, why: PLAIN_TEXT }] : [];
}
