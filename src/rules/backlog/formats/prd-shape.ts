import { type Fields, foldKey, isFields, keyCalled } from './keys.ts';
import { boardIn } from './prd-boards.ts';
import { titleOf } from './prd-fields.ts';
import { hasFlag, type Item, isItem, isStory, itemsOf, type Path, type StoryList } from './prd-list.ts';
import { addSiblings, columnsIn, goesOn } from './prd-siblings.ts';
import { tagsIn } from './prd-tags.ts';

/**
 * Finds the stories in JSON that other tools and people wrote. Names decide, not structure alone: documents like these
 * are full of arrays whose items have an id and a status but are no work (personas, milestones, payments).
 */

/** Folded names of lists of stories, the surest first. */
const SURE = ['userstories', 'stories', 'tasks', 'workitems', 'workunits', 'todos', 'tickets'];
/** Names that stand for other things just as often. */
const LIKELY = ['features', 'issues', 'units', 'chunks', 'actionitems', 'todo', 'todolist', 'backlog', 'items'];
const WEAK = ['checklist', 'requirements'];
/** Only lists whose items carry flags: elsewhere these are prose. */
const FLAGGED_ONLY = ['steps', 'implementationsteps', 'bugs', 'fixes', 'improvements', 'enhancements', 'deliverables'];
const LISTS = [...SURE, ...LIKELY, ...WEAK];
/** Names of what groups such lists. */
const GROUPS = [
  'phases',
  'epics',
  'milestones',
  'sprints',
  'sections',
  'groups',
  'stages',
  'iterations',
  'modules',
  'categories',
  'tracks',
  'workstreams',
  'waves',
  'areas',
  'releases',
  'roadmap',
  'quarters',
];
/** Lists with flags that are work where a document has nothing that is called so. */
const FLAGGED_LAST = ['goals', 'objectives', 'slices', 'jobs', 'actions'];
/** Names of objects that only wrap the document. */
const WRAPPERS = ['prd', 'plan', 'project', 'product', 'data', 'master', 'implementationplan', 'roadmap'];
/** Flagged entries under such names are no work: criteria, metrics, runs, examples. */
const NEVER =
  /criteri|gate|metric|check|test|risk|persona|assum|question|histor|log|run|result|review|learning|known|sample|example|mock|fixture|schema|config|setting|metadata|screen|payment|user$|users$|account|member|archive/;

const STORY_NAMES = new Set(
  [...LISTS, ...FLAGGED_ONLY].filter((name) => !/steps|requirements|checklist|items/.test(name)),
);

/** Whether a list of this name is likely to be one of stories. */
export function isStoryName(name: string): boolean {
  const folded = foldKey(name);
  return !NEVER.test(folded) && (STORY_NAMES.has(folded) || goesOn(folded));
}

/** How deep lists of stories are looked for: far below any real document, far above the end of the stack. */
const DEEPEST = 16;

/** Every list of stories, in file order; empty when the document has none. */
export function findStoryLists(document: unknown): readonly StoryList[] {
  const found = Array.isArray(document) ? asList(document, [], 'any') : firstFound(document);
  return found.map((list) => ({ ...list, group: groupOf(document, list.path) }));
}

function firstFound(document: unknown): readonly StoryList[] {
  for (const strategy of STRATEGIES) {
    const found = strategy(document, []);
    if (found.length > 0) return found;
  }
  return [];
}

/** What the group is called that a list stands in: its key in a map, else its id or name. */
function groupOf(document: unknown, path: Path): string | null {
  const at = path.at(-2);
  if (at === undefined || typeof at === 'string') return at ?? null;
  const group = path.slice(0, -1).reduce<unknown>((node, key) => (node as Fields)[key], document);
  if (!isFields(group)) return null;
  const idKey = keyCalled(group, 'id');
  const id = idKey === undefined ? null : group[idKey];
  const name =
    typeof id === 'number' || typeof id === 'string' ? String(id) : (titleOf(group)?.title ?? String(at + 1));
  return name
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .slice(0, 32)
    .replace(/^-|-$/g, '');
}

type Strategy = (node: unknown, path: Path) => readonly StoryList[];

/** A list with done flags before one without: `features` may describe what `tasks` tracks. */
const STRATEGIES: readonly Strategy[] = [
  (node) => tagsIn(node, NEVER),
  (node, path) => throughWrappers(node, path, boardIn),
  (node, path) => flaggedIn(node, path),
  // Beside a list of stories, lists of what is completed are no board.
  (node, path) => (named(node, path, SURE, 'plain').length > 0 ? [] : columnsIn(node, path)),
  (node, path) => throughWrappers(node, path, (inner, at) => named(inner, at, SURE, 'plain')),
  (node, path) => throughWrappers(node, path, (inner, at) => named(inner, at, GROUPS, 'flagged')),
  (node, path) => throughWrappers(node, path, anyFlagged),
  (node, path) => insideOf(node, path),
  (node, path) => throughWrappers(node, path, (inner, at) => named(inner, at, LIKELY, 'worked out')),
  (node, path) => plainGroups(node, path),
  (node, path) => throughWrappers(node, path, (inner, at) => named(inner, at, FLAGGED_LAST, 'flagged')),
  bareMap,
];

function flaggedIn(node: unknown, path: Path): readonly StoryList[] {
  if (path.length > DEEPEST || !isFields(node)) return [];
  const direct = named(node, path, [...LISTS, ...FLAGGED_ONLY], 'flagged');
  if (direct.length > 0) return direct;
  const grouped = throughGroups(node, path, flaggedIn);
  return grouped.length > 0 ? grouped : inWrappers(node, path, flaggedIn);
}

/** Groups whose lists have no flags anywhere. */
function plainGroups(node: unknown, path: Path): readonly StoryList[] {
  return throughWrappers(node, path, (inner, at) =>
    throughGroups(inner, at, (group, below) => named(group, below, [...SURE, ...LIKELY], 'plain')),
  );
}

function throughGroups(node: unknown, path: Path, strategy: Strategy): readonly StoryList[] {
  if (!isFields(node)) return [];
  for (const name of GROUPS) {
    const key = keyCalled(node, name);
    if (key === undefined) continue;
    const group = node[key];
    const found = itemsOf(group).flatMap((item) => strategy(item.fields, [...path, key, item.key]));
    if (found.length > 0) return found;
    // `{"groups": {"setup": [ … ]}}`: the lists themselves.
    const direct = isFields(group)
      ? Object.entries(group).flatMap(([name, list]) => asList(list, [...path, key, name], 'flagged'))
      : [];
    if (direct.length > 0) return direct;
  }
  return [];
}

/** A document that is nothing but a map from ids to stories. */
function bareMap(node: unknown, path: Path): readonly StoryList[] {
  const items = itemsOf(node).filter((item) => hasFlag(item.fields) && isStory(item));
  const keys = isFields(node) ? Object.keys(node) : [];
  const isMap = keys.length > 0 && items.length === keys.length && keys.every((key) => /^[A-Za-z]*[-_.]?\d/.test(key));
  return isMap ? [{ path, items, size: items.length, done: null }] : [];
}

function throughWrappers(node: unknown, path: Path, strategy: Strategy): readonly StoryList[] {
  if (path.length > DEEPEST) return [];
  const found = strategy(node, path);
  if (found.length > 0) return found;
  return inWrappers(node, path, (inner, at) => throughWrappers(inner, at, strategy));
}

function inWrappers(node: unknown, path: Path, strategy: Strategy): readonly StoryList[] {
  if (!isFields(node)) return [];
  for (const name of WRAPPERS) {
    const key = keyCalled(node, name);
    const found = key === undefined ? [] : strategy(node[key], [...path, key]);
    if (found.length > 0) return found;
  }
  return [];
}

/** Objects of any name that hold lists of known names: the only object of a document, or one for each tag or branch. */
function insideOf(node: unknown, path: Path): readonly StoryList[] {
  if (path.length > DEEPEST || !isFields(node)) return [];
  const inner = Object.entries(node).filter(([key, value]) => isFields(value) && !NEVER.test(foldKey(key)));
  const flagged = inner.flatMap(([key, value]) => flaggedIn(value, [...path, key]));
  if (flagged.length > 0) return flagged;
  const [only] = inner;
  if (!only || inner.length > 1) return [];
  const plain = named(only[1], [...path, only[0]], SURE, 'plain');
  return plain.length > 0 ? plain : insideOf(only[1], [...path, only[0]]);
}

/** A list of any name, if it is the only one whose entries all say whether they are done. */
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

/** `status` is said of anything; these are said of work. */
function isSurelyFlagged(item: Item): boolean {
  return (
    isItem(item) &&
    ['passes', 'passed', 'done', 'completed', 'complete', 'implemented', 'fixed'].some((name) => {
      const key = keyCalled(item.fields, name);
      return key !== undefined && typeof item.fields[key] === 'boolean';
    })
  );
}

/**
 * What makes a list one of stories. `flagged`: most items say whether they are done; `plain`: most have a text;
 * `worked out`: without flags, most have criteria or the like; `any`: flagged, else plain.
 */
type Wanted = 'flagged' | 'plain' | 'worked out' | 'any';

function named(node: unknown, path: Path, names: readonly string[], wanted: Wanted): readonly StoryList[] {
  if (!isFields(node)) return [];
  for (const name of names) {
    const key = keyCalled(node, name);
    const found = key === undefined ? [] : asList(node[key], [...path, key], wanted, name);
    if (found.length > 0 && key !== undefined) return addSiblings(node, path, key, found);
  }
  return [];
}

/** The list at a place; where its items have no flag of their own but lists of flagged stories, those lists. */
function asList(node: unknown, path: Path, wanted: Wanted, name = ''): readonly StoryList[] {
  const items = itemsOf(node);
  const size = isFields(node) ? Object.keys(node).length : Array.isArray(node) ? node.length : 0;
  // A map has nothing but stories in it; an array may hold a few things that are none, such as a remark.
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
    ['acceptancecriteria', 'acceptance', 'criteria', 'steps', 'priority', 'dependson', 'dependencies', 'tasks'].some(
      (name) => keyCalled(item.fields, name) !== undefined,
    ),
  any: (item) => isStory(item) && !isThing(item) && (hasFlag(item.fields) || FITS['worked out'](item) || isTold(item)),
};

/** A list without a name is a backlog only if what is in it is more than names. */
function isTold({ fields }: Item): boolean {
  return ['description', 'desc', 'details', 'body', 'userstory'].some((name) => keyCalled(fields, name) !== undefined);
}

/** People, products, places: nothing to be done. */
function isThing({ fields }: Item): boolean {
  return ['email', 'phone', 'username', 'price', 'sku', 'birthday'].some(
    (name) => keyCalled(fields, name) !== undefined,
  );
}

/** Stories inside features; but the tasks inside a story are only parts of it. */
function innerLists(items: readonly Item[], path: Path, name: string): readonly StoryList[] {
  if (SURE.includes(name) || path.length > DEEPEST) return [];
  if (!items.some((item) => hasFlag(item.fields))) {
    return items.flatMap((item) => flaggedIn(item.fields, [...path, item.key]));
  }
  if (!LIKELY.includes(name)) return [];
  return items.flatMap((item) => named(item.fields, [...path, item.key], ['userstories', 'stories'], 'flagged'));
}
