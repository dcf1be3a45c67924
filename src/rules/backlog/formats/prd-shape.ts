import { standingOf } from './prd-done.ts';
import { titleOf } from './prd-fields.ts';
import { hasFlag, type Item, isItem, isStory, itemsOf, type Path, type StoryList } from './prd-list.ts';
import {
  BOARDS,
  CARDS,
  COLUMN_MAPS,
  type Fields,
  FLAGGED_LISTS,
  foldKey,
  GROUPS,
  isFields,
  LAST_LISTS,
  LIKELY_LISTS,
  membersCalled,
  SURE_FLAGS,
  SURE_LISTS,
  valueCalled,
  WEAK_LISTS,
  WRAPPERS,
} from './prd-names.ts';

/*
 * Finds the stories in JSON that other tools and people wrote. Names decide, not structure alone: such documents are
 * full of arrays whose items have an id and a status but are not work (personas, milestones, payments).
 */

/** Flagged entries under such names are not work: criteria, metrics, runs, examples. */
const NEVER =
  /criteri|gate|metric|check|test|risk|persona|assum|question|histor|log|run|result|review|learning|known|sample|example|mock|fixture|schema|config|setting|metadata|screen|payment|user$|users$|account|member|archive/;
const LISTS = [...SURE_LISTS, ...LIKELY_LISTS, ...WEAK_LISTS];
const STORY_NAMES = new Set(
  [...LISTS, ...FLAGGED_LISTS].filter((name) => !/steps|requirements|checklist|items/.test(name)),
);

/** How deep lists of stories are searched for: deeper than any real document, far below the stack limit. */
const DEEPEST = 16;

/** Every list of stories, in file order; empty when the document has none. */
export function findStoryLists(document: unknown): readonly StoryList[] {
  const found = Array.isArray(document)
    ? asList(document, [], 'any')
    : firstFound(STRATEGIES, (strategy) => strategy(document, []));
  return found.map((list) => ({ ...list, group: groupOf(document, list.path) }));
}

/** Whether a list of this name is likely to be one of stories. */
export function isStoryName(name: string): boolean {
  const folded = foldKey(name);
  return !NEVER.test(folded) && (STORY_NAMES.has(folded) || MORE.test(folded));
}

/** The name of the group that contains a list: its key in a map, else its id or name. */
function groupOf(document: unknown, path: Path): string | null {
  const at = path.at(-2);
  if (at === undefined || typeof at === 'string') return at ?? null;
  const group = path.slice(0, -1).reduce<unknown>((node, key) => (node as Fields)[key], document);
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

type Strategy = (node: unknown, path: Path) => readonly StoryList[];

/** Best first. A list with done flags comes before one without: `features` may describe what `tasks` tracks. */
const STRATEGIES: readonly Strategy[] = [
  tagsIn,
  throughWrappers(boardIn),
  flaggedIn,
  // Next to a list of stories, lists of completed work are not a board.
  (node, path) => (named(node, path, SURE_LISTS, 'plain').length > 0 ? [] : columnsIn(node, path)),
  throughWrappers((node, path) => named(node, path, SURE_LISTS, 'plain')),
  throughWrappers((node, path) => named(node, path, GROUPS, 'flagged')),
  throughWrappers(anyFlagged),
  insideOf,
  throughWrappers((node, path) => named(node, path, LIKELY_LISTS, 'worked out')),
  // Groups in which no list has flags.
  throughWrappers((node, path) =>
    throughGroups(node, path, (group, below) => named(group, below, [...SURE_LISTS, ...LIKELY_LISTS], 'plain')),
  ),
  throughWrappers((node, path) => named(node, path, LAST_LISTS, 'flagged')),
  bareMap,
];

function firstFound<T>(places: readonly T[], find: (place: T) => readonly StoryList[]): readonly StoryList[] {
  for (const place of places) {
    const found = find(place);
    if (found.length > 0) return found;
  }
  return [];
}

function flaggedIn(node: unknown, path: Path): readonly StoryList[] {
  if (path.length > DEEPEST) return [];
  return firstFound<Strategy>(
    [
      (inner, at) => named(inner, at, [...LISTS, ...FLAGGED_LISTS], 'flagged'),
      (inner, at) => throughGroups(inner, at, flaggedIn),
      (inner, at) => inWrappers(inner, at, flaggedIn),
    ],
    (strategy) => strategy(node, path),
  );
}

function throughGroups(node: unknown, path: Path, strategy: Strategy): readonly StoryList[] {
  return firstFound(membersCalled(node, GROUPS), ({ key, value: group }) => {
    const found = itemsOf(group).flatMap((item) => strategy(item.fields, [...path, key, item.key]));
    if (found.length > 0 || !isFields(group)) return found;
    // `{"groups": {"setup": [ … ]}}`: the lists themselves.
    return Object.entries(group).flatMap(([name, list]) => asList(list, [...path, key, name], 'flagged'));
  });
}

/** A document that is only a map from ids to stories. */
function bareMap(node: unknown, path: Path): readonly StoryList[] {
  const items = itemsOf(node).filter((item) => hasFlag(item.fields) && isStory(item));
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

function inWrappers(node: unknown, path: Path, strategy: Strategy): readonly StoryList[] {
  return firstFound(membersCalled(node, WRAPPERS), ({ key, value }) => strategy(value, [...path, key]));
}

/** Objects of any name that contain lists with known names: the only object, or one for each tag or branch. */
function insideOf(node: unknown, path: Path): readonly StoryList[] {
  if (path.length > DEEPEST || !isFields(node)) return [];
  const inner = Object.entries(node).filter(([key, value]) => isFields(value) && !NEVER.test(foldKey(key)));
  const flagged = inner.flatMap(([key, value]) => flaggedIn(value, [...path, key]));
  if (flagged.length > 0) return flagged;
  const [only] = inner;
  if (!only || inner.length > 1) return [];
  const plain = named(only[1], [...path, only[0]], SURE_LISTS, 'plain');
  return plain.length > 0 ? plain : insideOf(only[1], [...path, only[0]]);
}

/** A list of any name, if it is the only list in which every entry says whether it is done. */
function anyFlagged(node: unknown, path: Path): readonly StoryList[] {
  if (!isFields(node)) return [];
  const found = Object.entries(node).flatMap(([key, value]) => {
    const items = Array.isArray(value) ? itemsOf(value) : [];
    const sure = items.length > 0 && items.length === (value as unknown[]).length && items.every(isSurelyFlagged);
    const size = items.length;
    return sure && !NEVER.test(foldKey(key)) ? [{ path: [...path, key], items, size, done: null }] : [];
  });
  return found.length === 1 ? found : [];
}

function isSurelyFlagged(item: Item): boolean {
  return isItem(item) && membersCalled(item.fields, SURE_FLAGS).some(({ value }) => typeof value === 'boolean');
}

/**
 * What makes a list one of stories. `flagged`: most items say whether they are done; `plain`: most have a text;
 * `worked out`: without flags, most have criteria or the like; `any`: flagged, else plain.
 */
type Wanted = 'flagged' | 'plain' | 'worked out' | 'any';

function named(node: unknown, path: Path, names: readonly string[], wanted: Wanted): readonly StoryList[] {
  return firstFound(membersCalled(node, names), ({ name, key, value }) => {
    const found = asList(value, [...path, key], wanted, name);
    return found.length > 0 ? addSiblings(node as Fields, path, key, found) : [];
  });
}

/** The list at a path; if its items have no flag but contain lists of flagged stories, those lists. */
function asList(node: unknown, path: Path, wanted: Wanted, name = ''): readonly StoryList[] {
  const items = itemsOf(node);
  const size = isFields(node) ? Object.keys(node).length : Array.isArray(node) ? node.length : 0;
  // A map must contain only stories; an array may also have a few other entries, such as a remark.
  if (items.length === 0 || (items.length < size && (isFields(node) || items.length * 2 < size))) return [];
  const inner = innerLists(items, path, name);
  if (inner.length > 0) return inner;
  const fits = FITS[wanted];
  const fitting = items.filter(fits).length;
  return fitting * 2 >= items.length ? [{ path, items, size, done: null }] : [];
}

const FITS: Readonly<Record<Wanted, (item: Item) => boolean>> = {
  flagged: (item) => hasFlag(item.fields) && isItem(item),
  plain: isStory,
  'worked out': (item) =>
    isStory(item) &&
    has(item, [
      'acceptancecriteria',
      'acceptance',
      'criteria',
      'steps',
      'priority',
      'dependson',
      'dependencies',
      'tasks',
    ]),
  any: (item) => isStory(item) && !isThing(item) && (hasFlag(item.fields) || FITS['worked out'](item) || isTold(item)),
};

/** A list without a name is a backlog only if its items have more than names. */
const isTold = (item: Item): boolean => has(item, ['description', 'desc', 'details', 'body', 'userstory']);

/** People, products, places: not work. */
const isThing = (item: Item): boolean => has(item, ['email', 'phone', 'username', 'price', 'sku', 'birthday']);

function has({ fields }: Item, names: readonly string[]): boolean {
  return membersCalled(fields, names).length > 0;
}

/** Stories inside features; the tasks inside a story are only its parts. */
function innerLists(items: readonly Item[], path: Path, name: string): readonly StoryList[] {
  if (SURE_LISTS.includes(name) || path.length > DEEPEST) return [];
  if (!items.some((item) => hasFlag(item.fields))) {
    return items.flatMap((item) => flaggedIn(item.fields, [...path, item.key]));
  }
  if (!LIKELY_LISTS.includes(name)) return [];
  return items.flatMap((item) => named(item.fields, [...path, item.key], ['userstories', 'stories'], 'flagged'));
}

const NOUN = '(?:userstories|stories|tasks|features|items|issues|tickets|todos|workitems)';
const NOUN_AT_END = new RegExp(`${NOUN}$`);
/** `completedTasks`, `done`: an item in it is done unless its own fields say otherwise. */
const FINISHED = new RegExp(`^(?:completed|complete|done|finished|closed|shipped)${NOUN}?$`);
const UNFINISHED = new RegExp(
  `^(?:pending|remaining|open|todo|backlog|active|inprogress|doing|current|upcoming|next|ready|review|inreview)${NOUN}?$`,
);
/** Names of lists that continue another list of stories. */
const MORE = new RegExp(
  `^(?:(?:technical|additional|extra|setup|infrastructure|backend|frontend|followup|maintenance)${NOUN}|` +
    '(?:known)?bugs|bug(?:fixes|reports|s)|(?:hot)?fixes|chores|improvements|enhancements|refactor(?:s|ings)|techdebt|spikes)$',
);

/** Lists named after the state of their stories, as on a board: at least two of them make a backlog. */
function columnsIn(node: unknown, path: Path): readonly StoryList[] {
  const own = isFields(node) ? stateLists(node, path) : [];
  if (own.length > 1) return own;
  return firstFound(membersCalled(node, COLUMN_MAPS), ({ key, value }) => {
    const found = isFields(value) ? stateLists(value, [...path, key]) : [];
    return found.length > 1 ? found : [];
  });
}

/** The lists next to a list of stories that continue it: `technicalTasks`, or `completedTasks` with others in it. */
function addSiblings(node: Fields, path: Path, key: string, found: readonly StoryList[]): readonly StoryList[] {
  const main = foldKey(key);
  const names = new Set(found.flatMap((list) => list.items.map(({ fields }) => nameOf(fields))));
  // Of the same kind as the list itself: `completedFeatures` next to `tasks` is a summary of something else.
  const states = stateLists(node, path).filter((list) => {
    const noun = NOUN_AT_END.exec(foldKey(String(list.path.at(-1))))?.[0];
    return noun !== undefined && (main.endsWith(noun) || noun.endsWith(main));
  });
  const more = [...states, ...listsCalled(node, path, MORE, null)].filter(
    (list) => list.path.at(-1) !== key && list.items.every(({ fields }) => !names.has(nameOf(fields))),
  );
  return more.length === 0 ? found : inFileOrder(node, path, [...found, ...more]);
}

function stateLists(node: Fields, path: Path): readonly StoryList[] {
  const lists = [...listsCalled(node, path, FINISHED, true), ...listsCalled(node, path, UNFINISHED, false)];
  return inFileOrder(node, path, lists);
}

/** Lists below the members of an object, in the order of the members. */
function inFileOrder(node: Fields, path: Path, lists: readonly StoryList[]): readonly StoryList[] {
  const order = Object.keys(node);
  const position = (list: StoryList): number => order.indexOf(String(list.path[path.length]));
  return lists.toSorted((a, b) => position(a) - position(b));
}

function listsCalled(node: Fields, path: Path, pattern: RegExp, done: boolean | null): StoryList[] {
  return Object.entries(node).flatMap(([key, value]) => {
    if (!Array.isArray(value) || !pattern.test(foldKey(key))) return [];
    const items = itemsOf(value);
    const whole = items.length > 0 && items.length === value.length && items.every(isStory);
    return whole && (done !== null || items.some(({ fields }) => hasFlag(fields)))
      ? [{ path: [...path, key], items, size: value.length, done }]
      : [];
  });
}

function nameOf(fields: Fields): string {
  const name = valueCalled(fields, 'id') ?? valueCalled(fields, 'title') ?? fields;
  return typeof name === 'string' ? name : JSON.stringify(name);
}

/** The columns of a board as a list, `[{"name": "Done", "cards": […]}]`: a column gives the progress of its items. */
function boardIn(node: unknown, path: Path): readonly StoryList[] {
  const found = firstFound(membersCalled(node, BOARDS), ({ key, value }) => {
    const columns = (Array.isArray(value) ? itemsOf(value) : []).map((column) => ({
      at: [...path, key, column.key],
      fields: column.fields,
      done: standingOfColumn(column.fields),
    }));
    if (columns.every(({ done }) => done === null)) return [];
    return columns.flatMap(({ at, fields, done }) => cardsOf(fields, at, done ?? false));
  });
  if (found.length > 0) return found;
  return firstFound(membersCalled(node, ['board']), ({ key, value }) => boardIn(value, [...path, key]));
}

function cardsOf(column: Fields, path: Path, done: boolean): readonly StoryList[] {
  return firstFound(membersCalled(column, CARDS), ({ key, value }) => {
    const items = Array.isArray(value) ? itemsOf(value).filter(isStory) : [];
    return items.length > 0 ? [{ path: [...path, key], items, size: (value as unknown[]).length, done }] : [];
  });
}

/** Whether the items of a column are done; null when its name does not say. */
function standingOfColumn(column: Fields): boolean | null {
  for (const { value } of membersCalled(column, ['name', 'title', 'status', 'id'])) {
    if (typeof value !== 'string') continue;
    if (FINISHED.test(foldKey(value)) || standingOf(value) === 'done') return true;
    if (UNFINISHED.test(foldKey(value))) return false;
  }
  return null;
}

/**
 * The lists of Task Master: an object for each tag or branch, each with its `tasks`. All of them are work; ids in a tag
 * other than the default one mean nothing outside that tag. Empty for a document with fewer than two.
 */
function tagsIn(document: unknown): readonly StoryList[] {
  if (!isFields(document)) return [];
  const tags = Object.entries(document).flatMap(([tag, inner]): StoryList[] => {
    const [tasks] = NEVER.test(foldKey(tag)) ? [] : membersCalled(inner, ['tasks']);
    if (!Array.isArray(tasks?.value)) return [];
    const items = itemsOf(tasks.value);
    const fits = items.length > 0 && items.every((item) => isStory(item) && hasFlag(item.fields));
    const isApart = foldKey(tag) !== 'master';
    return fits ? [{ path: [tag, tasks.key], items, size: tasks.value.length, done: null, isApart }] : [];
  });
  return tags.length > 1 ? tags : [];
}
