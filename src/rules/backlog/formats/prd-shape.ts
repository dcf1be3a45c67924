/**
 * Finds the stories in JSON that other tools and people wrote. Names decide, not structure alone: documents like these
 * are full of arrays whose items have an id and a status but are no work (personas, milestones, payments).
 */

export type Fields = Readonly<Record<string, unknown>>;
export type Path = readonly (string | number)[];

export interface Item {
  /** Index in an array, key in a map. */
  readonly key: string | number;
  readonly fields: Fields;
}

/** One array or map of stories; a document with phases or epics has several. */
export interface StoryList {
  readonly path: Path;
  readonly items: readonly Item[];
}

/** Names of lists of stories, the surest first. */
const LISTS = [
  'userStories',
  'user_stories',
  'stories',
  'tasks',
  'features',
  'workItems',
  'work_items',
  'todos',
  'issues',
  'tickets',
  'backlog',
  'items',
  'requirements',
];
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
];
/** Names of objects that only wrap the document. */
const WRAPPERS = ['prd', 'plan', 'project', 'product', 'data'];

/** Names of the flags that tell whether a story is done. */
export const DONE_KEYS = [
  'passes',
  'passed',
  'passing',
  'done',
  'isDone',
  'is_done',
  'completed',
  'isCompleted',
  'is_completed',
  'complete',
  'isComplete',
  'is_complete',
  'implemented',
  'finished',
  'checked',
  'status',
  'state',
];
const TEXT_KEYS = [
  'title',
  'name',
  'summary',
  'story',
  'task',
  'feature',
  'description',
  'desc',
  'text',
  'content',
  'userStory',
];

/** How deep lists of stories are looked for: far below any real document, far above the end of the stack. */
const DEEPEST = 16;

/** Every list of stories, in file order; empty when the document has none. */
export function findStoryLists(document: unknown): readonly StoryList[] {
  return findIn(document, []);
}

function findIn(node: unknown, path: Path): readonly StoryList[] {
  if (path.length > DEEPEST) return [];
  if (Array.isArray(node)) return lists(node, path, isStory);
  if (!isFields(node)) return [];
  // A list with done flags before one without: `features` may describe what `tasks` tracks.
  for (const wanted of [isFlagged, isStory]) {
    for (const name of LISTS) {
      const found = lists(node[name], [...path, name], wanted);
      if (found.length > 0) return found;
    }
  }
  for (const name of GROUPS) {
    const found = itemsOf(node[name]).flatMap((item) => findIn(item.fields, [...path, name, item.key]));
    if (found.length > 0) return found;
  }
  for (const name of GROUPS) {
    const found = lists(node[name], [...path, name], isFlagged);
    if (found.length > 0) return found;
  }
  for (const name of WRAPPERS) {
    const found = isFields(node[name]) ? findIn(node[name], [...path, name]) : [];
    if (found.length > 0) return found;
  }
  return [];
}

/** The list at a place; where its items have no flag of their own but lists of flagged stories, those lists. */
function lists(node: unknown, path: Path, wanted: (item: Item) => boolean): readonly StoryList[] {
  const items = itemsOf(node);
  const size = isFields(node) ? Object.keys(node).length : Array.isArray(node) ? node.length : 0;
  if (items.length === 0 || items.length < size) return [];
  if (!items.some((item) => hasFlag(item.fields))) {
    const inner = items.flatMap((item) => findIn(item.fields, [...path, item.key]));
    if (inner.some((list) => list.items.some((item) => hasFlag(item.fields)))) return inner;
  }
  const fitting = items.filter(wanted).length;
  return fitting * 2 >= items.length ? [{ path, items }] : [];
}

function itemsOf(node: unknown): Item[] {
  const entries: [string | number, unknown][] = Array.isArray(node)
    ? [...node.entries()]
    : isFields(node)
      ? Object.entries(node)
      : [];
  return entries.flatMap(([key, fields]) => (isFields(fields) ? [{ key, fields }] : []));
}

function isStory({ fields }: Item): boolean {
  return TEXT_KEYS.some((key) => typeof fields[key] === 'string' && fields[key] !== '');
}

/** A flag and something to call the story by: a text, an id, or its key in a map. */
function isFlagged(item: Item): boolean {
  return hasFlag(item.fields) && (isStory(item) || 'id' in item.fields || typeof item.key === 'string');
}

function hasFlag(fields: Fields): boolean {
  return DONE_KEYS.some((key) => key in fields);
}

export function isFields(value: unknown): value is Fields {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}
