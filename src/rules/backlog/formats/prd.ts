import type { BacklogFormat, Problem, Story } from '../../../contracts/index.ts';
import { blankBacklog, blankStory, type Parsed, unreadable } from '../api.ts';
import { leadingId } from '../ids.ts';
import { children, elementStarts, locate } from './json.ts';
import { looksLikeId } from './markdown-title.ts';
import { blockedReason, isDone, isGone } from './prd-done.ts';
import { allCriteria, descriptionOf, fieldOf, textOf, verificationOf } from './prd-fields.ts';
import {
  currentPart,
  findStoryLists,
  GONE_LIST,
  hasFlag,
  isGoneColumn,
  isStory,
  isStoryName,
  itemStarts,
  type NamedItem,
  nodeAt,
  type Path,
  type StoryList,
} from './prd-lists.ts';
import {
  FIELD_NAMES,
  type Fields,
  foldKey,
  isFields,
  itemsOf,
  membersCalled,
  NAMES,
  titleOf,
  valueCalled,
} from './prd-names.ts';
import { fillPriorities, priorityOf } from './priority.ts';
import { error, lineAt, linesAt, repeatedId, warning } from './text.ts';

/** Reads a `prd.json` of any known shape. `asked` is the format that the file's name suggested. */
export function readPrd(value: unknown, text: string, file: string, asked: BacklogFormat): Parsed {
  const lists = findStoryLists(value);
  if (lists.length === 0) return unreadable('prd-json', noStories(value, text, file, asked));
  const items = lists.flatMap((list) => list.items);
  const starts = lists.flatMap((list) => itemStarts(text, list));
  const lines = linesAt(text, starts);
  const priorities = fillPriorities(items.map(({ fields }) => givenPriority(fields)));
  const problems = notesOn(value, lists, { text, file, items, starts, lines });
  let at = -1;
  const stories = lists.flatMap((list) => {
    const local = localIds(list.items);
    return list.items.map((item) => {
      at += 1;
      const line = lines[at] ?? 1;
      if (item.ownId !== null && item.ownId !== item.id && list.isApart !== true)
        problems.push(repeatedId(item.ownId, item.id, line, file));
      return toStory(item, priorities[at] ?? at + 1, line, local);
    });
  });
  const top: Fields = isFields(value) ? value : {};
  const branch = valueCalled(top, 'branchname', 'branch');
  const description = valueCalled(top, 'description');
  const backlog = {
    ...blankBacklog('prd-json'),
    project: projectOf(top),
    branchName: typeof branch === 'string' && branch !== '' ? branch : null,
    description: typeof description === 'string' ? description : '',
    verifyCommands: verificationOf(top, true).commands,
    stories,
  };
  return { format: 'prd-json', backlog, problems };
}

function toStory(
  { fields, id, done }: NamedItem,
  priority: number,
  line: number,
  local: ReadonlyMap<string, string>,
): Story {
  const passes = isDone(fields, done);
  const reason = passes ? null : blockedReason(fields);
  const checks = verificationOf(fields).commands;
  const { repo } = fields;
  return {
    ...blankStory(id, titleOf(fields)?.title ?? id, line),
    description: descriptionOf(fields),
    acceptanceCriteria: allCriteria(fields),
    priority,
    passes,
    notes: textOf(fieldOf(fields, 'notes')),
    dependsOn: needsOf(fieldOf(fields, 'dependsOn')).map(
      (text) => local.get(text) ?? local.get(leadingId(text)) ?? text,
    ),
    ...(checks.length > 0 ? { verifyCommands: checks } : {}),
    ...(reason !== null ? { blocked: reason } : {}),
    ...(typeof repo === 'string' && repo !== '' ? { repo } : {}),
  };
}

/** Ids that the stories of one list use for each other, where the loop uses different ones. */
function localIds(items: readonly NamedItem[]): ReadonlyMap<string, string> {
  const ids = new Map<string, string>();
  for (const { id, ownId } of items) if (ownId !== null && ownId !== id && !ids.has(ownId)) ids.set(ownId, id);
  for (const { id, ownId } of items) if (ownId === id) ids.delete(ownId);
  return ids;
}

/** The first priority field with a meaningful value: `order: "after login"` has none. */
function givenPriority(fields: Fields): number | null {
  const priorities = membersCalled(fields, FIELD_NAMES.priority).map(({ value }) => priorityOf(value));
  return priorities.find((priority) => priority !== null) ?? null;
}

/** The dependencies that a story names, one text each; they are matched to stories once all stories are known. */
function needsOf(value: unknown): string[] {
  const all = Array.isArray(value) ? value.flat() : typeof value === 'string' ? value.split(/[,;&\n]/) : [value];
  const texts = all.flatMap((entry): string[] => {
    const said = isFields(entry) ? linkedId(entry) : entry;
    // By kind: `{"internal": ["US-001"], "external": []}`.
    if (said === undefined && isFields(entry))
      return Object.values(entry).flatMap((each) => (Array.isArray(each) ? needsOf(each) : []));
    const words = typeof said === 'string' ? said.trim().split(/\s+(?:and\s+)?/) : [];
    if (words.length > 1 && words.every(looksLikeId)) return words;
    return typeof said === 'string' || typeof said === 'number' ? [String(said).trim()] : [];
  });
  return texts.filter((text) => text !== '' && !/^(?:none|nothing|n\/a|null|[-\u2013\u2014])\.?$/i.test(text));
}

/** Kinds of links between issues that block a story; being part of another issue does not. */
const BLOCKING = /^(?:blocks?|blocked[ _-]?by|depends?[ _-]?on|requires|dependency|finish[ _-]?to[ _-]?start)$/i;

function linkedId(link: Fields): unknown {
  const kind = valueCalled(link, 'type', 'kind', 'relation');
  const target = valueCalled(link, 'dependsonid', 'dependson', 'target');
  if (typeof kind === 'string' && target !== undefined && !BLOCKING.test(kind.trim())) return undefined;
  return target ?? fieldOf(link, 'id') ?? fieldOf(link, 'title');
}

function projectOf(top: Fields): string | null {
  for (const { value } of membersCalled(top, NAMES.project)) {
    if (typeof value === 'string') return value;
    const inner = isFields(value) ? valueCalled(value, 'name') : null;
    if (typeof inner === 'string') return inner;
  }
  return null;
}

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
function notesOn(document: unknown, lists: readonly StoryList[], place: Place): Problem[] {
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
    'not chosen': `left out: ralph works on ${used}`,
  };
  return found.map(({ path, count, why }) => {
    const [entries, are] = count === 1 ? ['entry', 'is'] : ['entries', 'are'];
    const looks = why === 'not chosen' ? (count === 1 ? 'looks like a story and ' : 'look like stories and ') : '';
    const message = `${count} ${entries} under ${nameOf(path)} ${looks}${are} ${WORDS[why]}`;
    return warning('schema/left-out', file, lineAt(text, locate(text, path) ?? 0), message, LEFT_OUT);
  });
}

const LEFT_OUT = 'Put the stories to work on into one list.';

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
    const message = `not used as a check: "${first.slice(0, SHOWN)}"${more}; ${what}`;
    return [warning('schema/check', file, line, message, 'Write one command that ends by itself, such as `npm test`.')];
  };
  const atTop = isFields(document) ? verificationOf(document, true).prose : [];
  const refused = items.map(({ fields }) => verificationOf(fields).refused);
  const line = lines[refused.findIndex((commands) => commands.length > 0)] ?? 1;
  return [
    ...note(atTop, lineAt(text, text.search(/\S/)), 'it is at the top level and belongs to no story'),
    ...note(refused.flat(), line, 'it is used as a criterion instead'),
  ];
}

function nameOf(path: Path): string {
  return path.join('.') || 'the top';
}

const NAMED = 3;
const DEEPEST = 16;

/** Why a JSON document is not a backlog, with what it contains instead. */
function noStories(value: unknown, text: string, file: string, asked: BacklogFormat): Problem {
  const line = lineAt(text, text.search(/\S/));
  if (!Array.isArray(value) && !isFields(value)) {
    const message = 'the file must contain an object with a list of stories';
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
