import { words } from '../../text/index.ts';
import { derivedId, uniqueIds } from '../ids.ts';
import { children, elementStarts, locate } from './json.ts';
import { isGone } from './prd-done.ts';
import {
  type Fields,
  foldKey,
  hasAny,
  type Item,
  isFields,
  itemsOf,
  keyCalled,
  keyOf,
  membersCalled,
  NAMES,
  titleOf,
  valueCalled,
} from './prd-names.ts';
import { isState, standingOf } from './standing.ts';

/*
 * Finds the stories in JSON that other tools and people wrote. Names decide, not structure alone: such documents are
 * full of arrays whose items have an id and a status but are not work (personas, milestones, payments).
 */

export type Path = readonly (string | number)[];

/** A story of a foreign file: its position, and the id that the loop uses for it. */
export interface NamedItem extends Item {
  readonly id: string;
  readonly ownId: string | null;
  /** What lists say about it: the one that contains it by its name, or one of ids beside that. */
  readonly done: boolean | null;
}

interface FoundList {
  readonly path: Path;
  readonly items: readonly Item[];
  /** The number of its entries, including those that are not items. */
  readonly size: number;
  /** What the list's name says about items without a flag, as `completedTasks` does; null for other names. */
  readonly done: boolean | null;
  /** Its ids mean nothing outside it, as in the tags of Task Master: numbers always get the group as a prefix. */
  readonly isApart?: boolean;
}

/** One array or map of stories; a document with phases or epics has several. */
export interface StoryList extends FoundList {
  readonly items: readonly NamedItem[];
  /** Entries that are no longer work: deleted, archived. */
  readonly gone: readonly Fields[];
}

/** Every list of stories, in file order; empty when the document has none. */
export function findStoryLists(document: unknown): readonly StoryList[] {
  if (Array.isArray(document)) return nameItems(asList(document, [], 'any'), document);
  const current = currentPart(document);
  const parts: readonly Path[] = current === null ? [[]] : [current, []];
  const found = firstFound(parts, (path) =>
    firstFound(STRATEGIES, (strategy) => strategy(nodeAt(document, path), path)),
  );
  return nameItems(found, document);
}

/** The part of a document that is current, where it holds several lists that exclude each other; null elsewhere. */
export function currentPart(document: unknown): Path | null {
  if (!isFields(document)) return null;
  const said = membersCalled(document, NAMES.current).map(({ value }) => value);
  const places: readonly { readonly path: Path; readonly node: unknown }[] = [
    { path: [], node: document },
    ...membersCalled(document, NAMES.contexts).map(({ key, value }) => ({ path: [key], node: value })),
  ];
  for (const { path, node } of places) {
    const current = itemsOf(node).filter(({ key, fields }) => {
      const names = [
        ...(typeof key === 'string' ? [key] : []),
        ...membersCalled(fields, NAMES.contextName).map(({ value }) => value),
      ];
      const marks = path.length === 0 ? [] : membersCalled(fields, NAMES.isCurrent);
      return names.some((name) => said.includes(name)) || marks.some(({ value }) => value === true);
    });
    const [only, second] = current;
    if (only && !second) return [...path, only.key];
  }
  // Task Master's default tag.
  const [master] = tagsIn(document);
  return master && foldKey(String(master.path[0])) === 'master' ? master.path.slice(0, 1) : null;
}

/**
 * Ids for all items: their own, else the key in a map, else derived from the title. An id repeated in another phase
 * gets the phase as a prefix; one repeated in the same list gets a number.
 */
function nameItems(lists: readonly FoundList[], document: unknown): readonly StoryList[] {
  const unique = uniqueIds();
  const seen = new Map<string, FoundList>();
  return lists.map((list) => {
    const group = groupOf(document, list.path);
    const finished = finishedBeside(document, list.path);
    const gone = list.items.filter(({ fields }) => isGone(fields)).map(({ fields }) => fields);
    const present = gone.length === 0 ? list.items : list.items.filter(({ fields }) => !isGone(fields));
    const items = present.map((item) => {
      const key = keyOf(item.fields, 'id');
      const own = key === null ? null : item.fields[key];
      const written = typeof own === 'number' || (typeof own === 'string' && own.trim() !== '') ? String(own) : null;
      const ownId = written ?? (typeof item.key === 'string' ? item.key : null);
      const wish = ownId ?? derivedId(titleOf(item.fields)?.title ?? '');
      const isNumber = list.isApart === true && /^[\d.]+$/.test(wish);
      const elsewhere = isNumber || (seen.get(wish) ?? list) !== list;
      if (!seen.has(wish)) seen.set(wish, list);
      const done = list.done ?? (ownId !== null && finished.has(ownId) ? true : null);
      return { ...item, ownId, done, id: unique(elsewhere && group !== null ? `${group}.${wish}` : wish) };
    });
    return { ...list, items, gone };
  });
}

/** The ids of finished stories in a list of ids beside the stories: `completedStories: ["US-001"]`. */
function finishedBeside(document: unknown, path: Path): ReadonlySet<string> {
  const node = path.length === 0 ? null : nodeAt(document, path.slice(0, -1));
  const lists = Object.entries(isFields(node) ? node : {}).filter(([key]) => FINISHED.test(foldKey(key)));
  const ids = lists.flatMap(([, value]) => (Array.isArray(value) ? value : []));
  return new Set(ids.filter((id) => typeof id === 'string' || typeof id === 'number').map(String));
}

export function nodeAt(document: unknown, path: Path): unknown {
  return path.reduce<unknown>((node, key) => (node as Fields)[key], document);
}

/** Where the items of a list start in the text, one for each; lists may contain other entries between them. */
export function itemStarts(text: string, list: StoryList): number[] {
  const at = locate(text, list.path) ?? 0;
  const keys = list.items.map(({ key }) => key);
  if (typeof keys[0] === 'string') {
    // JavaScript sorts the keys of a map that look like numbers, but the file may have another order.
    const starts = new Map(children(text, at).map((child) => [child.key, child.start]));
    return keys.map((key) => starts.get(String(key)) ?? at);
  }
  const starts = elementStarts(text, at, list.size);
  return keys.map((key) => starts[Number(key)] ?? at);
}

export function isStory({ fields }: Item): boolean {
  return membersCalled(fields, NAMES.text).some(({ value }) => typeof value === 'string' && value !== '');
}

/** Whether an item can be identified: by a text, an id, or its key in a map. */
function isItem(item: Item): boolean {
  return isStory(item) || keyCalled(item.fields, 'id') !== undefined || typeof item.key === 'string';
}

export function hasFlag({ fields }: Item): boolean {
  return hasAny(fields, NAMES.done);
}

/** Flagged entries under such names are not work: criteria, metrics, runs, examples. */
const NEVER =
  /criteri|gate|metric|check|test|risk|persona|assum|question|histor|log|run|result|review|learning|known|sample|example|mock|fixture|schema|config|setting|metadata|screen|payment|user$|users$|account|member|archive/;
const LISTS = [...NAMES.sureLists, ...NAMES.likelyLists, ...NAMES.weakLists, ...NAMES.flaggedLists];
const STORY_NAMES = new Set(LISTS.filter((name) => !/steps|requirements|checklist|items/.test(name)));

/** How deep lists of stories are searched for: deeper than any real document, far below the stack limit. */
const DEEPEST = 16;

/** Whether a list of this name is likely to be one of stories. */
export function isStoryName(name: string): boolean {
  const folded = foldKey(name);
  return !NEVER.test(folded) && (STORY_NAMES.has(folded) || MORE.test(folded));
}

function groupOf(document: unknown, path: Path): string | null {
  const at = path.at(-2);
  if (at === undefined || typeof at === 'string') return at ?? null;
  const group = nodeAt(document, path.slice(0, -1));
  if (!isFields(group)) return null;
  const id = valueCalled(group, 'id');
  const name =
    typeof id === 'number' || typeof id === 'string' ? String(id) : (titleOf(group)?.title ?? String(at + 1));
  return name
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .slice(0, 32)
    .replace(/^-|-$/g, '');
}

type Strategy = (node: unknown, path: Path) => readonly FoundList[];

/** Best first. A list with done flags comes before one without: `features` may describe what `tasks` tracks. */
const STRATEGIES: readonly Strategy[] = [
  tagsIn,
  throughWrappers(boardIn),
  flaggedOrColumns,
  throughWrappers((node, path) => named(node, path, NAMES.sureLists, 'plain')),
  throughWrappers((node, path) => named(node, path, NAMES.groups, 'flagged')),
  throughWrappers(anyFlagged),
  insideOf,
  throughWrappers((node, path) => named(node, path, NAMES.likelyLists, 'worked out')),
  // Groups in which no list has flags.
  throughWrappers((node, path) =>
    throughGroups(node, path, (group, below) =>
      named(group, below, [...NAMES.sureLists, ...NAMES.likelyLists], 'plain'),
    ),
  ),
  throughWrappers((node, path) => named(node, path, NAMES.lastLists, 'flagged')),
  bareMap,
];

/** The columns of a board may have flags of their own; next to another list of stories they are not a board. */
function flaggedOrColumns(node: unknown, path: Path): readonly FoundList[] {
  const flagged = flaggedIn(node, path);
  const columns = named(node, path, NAMES.sureLists, 'plain').length > 0 ? [] : columnsIn(node, path);
  const isColumn = (list: FoundList): boolean => columns.some((column) => column.path.join() === list.path.join());
  return flagged.every(isColumn) ? columns : flagged;
}

function firstFound<T>(places: readonly T[], find: (place: T) => readonly FoundList[]): readonly FoundList[] {
  for (const place of places) {
    const found = find(place);
    if (found.length > 0) return found;
  }
  return [];
}

function flaggedIn(node: unknown, path: Path): readonly FoundList[] {
  if (path.length > DEEPEST) return [];
  return firstFound<Strategy>(
    [
      (inner, at) => named(inner, at, LISTS, 'flagged'),
      (inner, at) => throughGroups(inner, at, flaggedIn),
      (inner, at) => inWrappers(inner, at, flaggedIn),
    ],
    (strategy) => strategy(node, path),
  );
}

function throughGroups(node: unknown, path: Path, strategy: Strategy): readonly FoundList[] {
  return firstFound(membersCalled(node, NAMES.groups), ({ key, value: group }) => {
    const found = itemsOf(group).flatMap((item) =>
      isGone(item.fields) ? [] : strategy(item.fields, [...path, key, item.key]),
    );
    if (found.length > 0 || !isFields(group)) return found;
    // `{"groups": {"setup": [ … ]}}`: the lists themselves.
    return Object.entries(group).flatMap(([name, list]) => asList(list, [...path, key, name], 'flagged'));
  });
}

function bareMap(node: unknown, path: Path): readonly FoundList[] {
  const items = itemsOf(node).filter((item) => hasFlag(item) && isStory(item));
  const keys = isFields(node) ? Object.keys(node) : [];
  const isMap = keys.length > 0 && items.length === keys.length && keys.every((key) => /^[A-Za-z]*[-_.]?\d/.test(key));
  return isMap ? [{ path, items, size: items.length, done: null }] : [];
}

/** Applies a strategy to a document and to the content of its wrappers. */
function throughWrappers(strategy: Strategy): Strategy {
  return function look(node, path) {
    if (path.length > DEEPEST) return [];
    const found = strategy(node, path);
    return found.length > 0 ? found : inWrappers(node, path, look);
  };
}

function inWrappers(node: unknown, path: Path, strategy: Strategy): readonly FoundList[] {
  return firstFound(membersCalled(node, NAMES.wrappers), ({ key, value }) => strategy(value, [...path, key]));
}

/** Objects of any name that contain lists with known names: the only object, or one for each tag or branch. */
function insideOf(node: unknown, path: Path): readonly FoundList[] {
  if (path.length > DEEPEST || !isFields(node)) return [];
  const inner = Object.entries(node).filter(([key, value]) => isFields(value) && !NEVER.test(foldKey(key)));
  const flagged = inner.flatMap(([key, value]) => flaggedIn(value, [...path, key]));
  if (flagged.length > 0) return flagged;
  const [only] = inner;
  if (!only || inner.length > 1) return [];
  const plain = named(only[1], [...path, only[0]], NAMES.sureLists, 'plain');
  return plain.length > 0 ? plain : insideOf(only[1], [...path, only[0]]);
}

/** A list of any name, if it is the only list in which every entry says whether it is done. */
function anyFlagged(node: unknown, path: Path): readonly FoundList[] {
  if (!isFields(node)) return [];
  const found = Object.entries(node).flatMap(([key, value]) => {
    return NEVER.test(foldKey(key)) ? [] : wholeList(value, [...path, key], isSurelyFlagged);
  });
  return found.length === 1 ? found : [];
}

/** An array in which every entry fits, as a list. */
function wholeList(
  node: unknown,
  path: Path,
  fits: (item: Item) => boolean,
  more: Partial<FoundList> = {},
): readonly FoundList[] {
  const items = Array.isArray(node) ? itemsOf(node) : [];
  const size = items.length;
  const isWhole = size > 0 && size === (node as unknown[]).length && items.every(fits);
  return isWhole ? [{ path, items, size, done: null, ...more }] : [];
}

function isSurelyFlagged(item: Item): boolean {
  return isItem(item) && membersCalled(item.fields, NAMES.doneForSure).some(({ value }) => typeof value === 'boolean');
}

/**
 * `flagged`: most items say whether they are done; `plain`: most have a text; `worked out`: most have criteria or the
 * like; `any`: flagged, else plain.
 */
type Wanted = 'flagged' | 'plain' | 'worked out' | 'any';

function named(node: unknown, path: Path, names: readonly string[], wanted: Wanted): readonly FoundList[] {
  return firstFound(membersCalled(node, names), ({ name, key, value }) => {
    const found = asList(value, [...path, key], wanted, name);
    return found.length > 0 ? addSiblings(node as Fields, path, key, found) : [];
  });
}

/** The list at a path; if its items have no flag but contain lists of flagged stories, those lists. */
function asList(node: unknown, path: Path, wanted: Wanted, name = ''): readonly FoundList[] {
  const items = itemsOf(node);
  const size = isFields(node) ? Object.keys(node).length : Array.isArray(node) ? node.length : 0;
  // A map must contain only stories; an array may also have a few other entries, such as a remark.
  if (items.length === 0 || (items.length < size && (isFields(node) || items.length * 2 < size))) return [];
  const inner = innerLists(items, path, name);
  if (inner.length > 0) return inner;
  return items.filter(FITS[wanted]).length * 2 >= items.length ? [{ path, items, size, done: null }] : [];
}

const WORKED_OUT = words('acceptancecriteria acceptance criteria steps priority dependson dependencies tasks');
/** A list without a name is a backlog only if its items have more than names. */
const TOLD = [...WORKED_OUT, ...words('description desc details body userstory')];
/** People, products, places: not work. */
const THING = words('email phone username price sku birthday');

const FITS: Readonly<Record<Wanted, (item: Item) => boolean>> = {
  flagged: (item) => hasFlag(item) && isItem(item),
  plain: isStory,
  'worked out': (item) => isStory(item) && hasAny(item.fields, [...WORKED_OUT, 'id']),
  any: (item) => isStory(item) && !hasAny(item.fields, THING) && (hasFlag(item) || hasAny(item.fields, TOLD)),
};

/** Stories inside features; the tasks inside a story are only its parts. */
function innerLists(items: readonly Item[], path: Path, name: string): readonly FoundList[] {
  if (NAMES.sureLists.includes(name) || path.length > DEEPEST) return [];
  if (!items.some(hasFlag)) {
    return items.flatMap((item) => flaggedIn(item.fields, [...path, item.key]));
  }
  if (!NAMES.likelyLists.includes(name)) return [];
  return items.flatMap((item) => named(item.fields, [...path, item.key], ['userstories', 'stories'], 'flagged'));
}

const NOUN = '(?:userstories|stories|tasks|features|items|issues|tickets|todos|workitems)';
const NOUN_AT_END = new RegExp(`${NOUN}$`);
/** `completedTasks`, `done`: an item in it is done unless its own fields say otherwise. */
const FINISHED = new RegExp(`^(?:completed|complete|done|finished|closed|shipped)${NOUN}?$`);
/** Lists of what is no longer work. */
export const GONE_LIST = new RegExp(`^(?:archived?|deleted|removed|trash(?:ed)?)${NOUN}?$`);
const UNFINISHED = new RegExp(
  `^(?:pending|remaining|open|todo|backlog|active|inprogress|doing|current|upcoming|next|ready|review|inreview)${NOUN}?$`,
);
/** Names of lists that continue another list of stories. */
const MORE = new RegExp(
  `^(?:(?:technical|additional|extra|setup|infrastructure|backend|frontend|followup|maintenance)${NOUN}|` +
    '(?:known)?bugs|bug(?:fixes|reports|s)|(?:hot)?fixes|chores|improvements|enhancements|refactor(?:s|ings)|techdebt|spikes)$',
);

/** Lists named after the state of their stories, as on a board: at least two of them make a backlog. */
function columnsIn(node: unknown, path: Path): readonly FoundList[] {
  const own = isFields(node) ? stateLists(node, path) : [];
  if (own.length > 1) return own;
  return firstFound(membersCalled(node, NAMES.columnMaps), ({ key, value }) => {
    const found = isFields(value) ? stateLists(value, [...path, key]) : [];
    return found.length > 1 ? found : [];
  });
}

/** The lists next to a list of stories that continue it: `technicalTasks`, or `completedTasks` with others in it. */
function addSiblings(node: Fields, path: Path, key: string, found: readonly FoundList[]): readonly FoundList[] {
  const main = foldKey(key);
  const names = new Set(found.flatMap((list) => list.items.map(nameOf)));
  // Of the same kind as the list itself: `completedFeatures` next to `tasks` is a summary of something else.
  const states = stateLists(node, path).filter((list) => {
    const noun = NOUN_AT_END.exec(foldKey(String(list.path.at(-1))))?.[0];
    return noun !== undefined && (main.endsWith(noun) || noun.endsWith(main));
  });
  const more = [...states, ...listsCalled(node, path, MORE, null)].filter(
    (list) => list.path.at(-1) !== key && list.items.every((item) => !names.has(nameOf(item))),
  );
  return more.length === 0 ? found : inFileOrder(node, path, [...found, ...more]);
}

function stateLists(node: Fields, path: Path): readonly FoundList[] {
  const lists = [...listsCalled(node, path, FINISHED, true), ...listsCalled(node, path, UNFINISHED, false)];
  return inFileOrder(node, path, lists);
}

/** Lists below the members of an object, in the order of the members. */
function inFileOrder(node: Fields, path: Path, lists: readonly FoundList[]): readonly FoundList[] {
  const order = Object.keys(node);
  const position = (list: FoundList): number => order.indexOf(String(list.path[path.length]));
  return lists.toSorted((a, b) => position(a) - position(b));
}

function listsCalled(node: Fields, path: Path, pattern: RegExp, done: boolean | null): FoundList[] {
  return Object.entries(node).flatMap(([key, value]) => {
    const found = pattern.test(foldKey(key)) ? wholeList(value, [...path, key], isStory, { done }) : [];
    return done === null ? found.filter(({ items }) => items.some(hasFlag)) : found;
  });
}

function nameOf({ fields }: Item): string {
  const name = valueCalled(fields, 'id', 'title') ?? fields;
  return typeof name === 'string' ? name : JSON.stringify(name);
}

/** The columns of a board as a list, `[{"name": "Done", "cards": […]}]`: a column gives the progress of its items. */
function boardIn(node: unknown, path: Path): readonly FoundList[] {
  const found = firstFound(membersCalled(node, NAMES.boards), ({ key, value }) => {
    const columns = (Array.isArray(value) ? itemsOf(value) : []).map((column) => ({
      at: [...path, key, column.key],
      fields: column.fields,
      done: standingOfColumn(column.fields),
    }));
    if (columns.every(({ done }) => done === null)) return [];
    return columns.flatMap(({ at, fields, done }) => (isGoneColumn(fields) ? [] : cardsOf(fields, at, done ?? false)));
  });
  if (found.length > 0) return found;
  return firstFound(membersCalled(node, ['board']), ({ key, value }) => boardIn(value, [...path, key]));
}

function cardsOf(column: Fields, path: Path, done: boolean): readonly FoundList[] {
  return firstFound(membersCalled(column, NAMES.cards), ({ key, value }) => {
    const items = Array.isArray(value) ? itemsOf(value).filter(isStory) : [];
    return items.length > 0 ? [{ path: [...path, key], items, size: (value as unknown[]).length, done }] : [];
  });
}

const COLUMN_NAMES = ['name', 'title', 'status', 'id'];

export function isGoneColumn(column: Fields): boolean {
  return membersCalled(column, COLUMN_NAMES).some(
    ({ value }) => typeof value === 'string' && isState(value, true) && standingOf(value) === 'gone',
  );
}

/** Whether the items of a column are done; null when its name does not say. */
function standingOfColumn(column: Fields): boolean | null {
  for (const { value } of membersCalled(column, COLUMN_NAMES)) {
    if (typeof value !== 'string') continue;
    if (FINISHED.test(foldKey(value)) || standingOf(value) === 'done') return true;
    if (UNFINISHED.test(foldKey(value))) return false;
  }
  return null;
}

/** The lists of Task Master: `tasks` in an object for each tag or branch; at least two. */
function tagsIn(document: unknown): readonly FoundList[] {
  if (!isFields(document)) return [];
  const tags = Object.entries(document).flatMap(([tag, inner]): FoundList[] => {
    const [tasks] = NEVER.test(foldKey(tag)) ? [] : membersCalled(inner, ['tasks']);
    if (!Array.isArray(tasks?.value)) return [];
    const items = itemsOf(tasks.value);
    const fits = items.length > 0 && items.every((item) => isStory(item) && hasFlag(item));
    const isApart = foldKey(tag) !== 'master';
    return fits ? [{ path: [tag, tasks.key], items, size: tasks.value.length, done: null, isApart }] : [];
  });
  return tags.length > 1 ? tags : [];
}
