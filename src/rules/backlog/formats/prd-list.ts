import { type Fields, isFields, keyCalled } from './keys.ts';

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
  /** How many entries it has, those that are no items among them. */
  readonly size: number;
  /** What the name of the list says about items without a flag, as `completedTasks` does; null for other names. */
  readonly done: boolean | null;
  /** What the phase or map is called that it stands in; null when it stands in none. */
  readonly group?: string | null;
  /** Ids in it mean nothing outside it, as in the tags of Task Master: the group always stands in front of them. */
  readonly isApart?: boolean;
}

/** Folded names of the flags that tell whether a story is done. */
export const DONE_KEYS = [
  'passes',
  'passed',
  'passing',
  'done',
  'isdone',
  'completed',
  'iscompleted',
  'complete',
  'iscomplete',
  'implemented',
  'finished',
  'isfinished',
  'checked',
  'closed',
  'shipped',
  'resolved',
  'status',
  'state',
  'taskstatus',
  'storystatus',
  'completionstatus',
  'implementationstatus',
  'fixed',
  'verified',
  'live',
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
  'userstory',
  'requirement',
  'goal',
  'subject',
];

/** The entries of an array or map that are objects. */
export function itemsOf(node: unknown): Item[] {
  const entries: [string | number, unknown][] = Array.isArray(node)
    ? [...node.entries()]
    : isFields(node)
      ? Object.entries(node)
      : [];
  return entries.flatMap(([key, fields]) => (isFields(fields) ? [{ key, fields }] : []));
}

/** Whether an item has a text to be called by. */
export function isStory({ fields }: Item): boolean {
  return TEXT_KEYS.some((name) => {
    const key = keyCalled(fields, name);
    return key !== undefined && typeof fields[key] === 'string' && fields[key] !== '';
  });
}

/** Whether there is anything to call an item by: a text, an id, or its key in a map. */
export function isItem(item: Item): boolean {
  return isStory(item) || keyCalled(item.fields, 'id') !== undefined || typeof item.key === 'string';
}

export function hasFlag(fields: Fields): boolean {
  return DONE_KEYS.some((name) => keyCalled(fields, name) !== undefined);
}
