import { children, elementStarts, locate } from './json-scan.ts';
import { DONE_KEYS, type Fields, isFields, keyCalled, membersCalled, TEXT_KEYS } from './prd-names.ts';

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
  /** The number of its entries, including those that are not items. */
  readonly size: number;
  /** What the list's name says about items without a flag, as `completedTasks` does; null for other names. */
  readonly done: boolean | null;
  /** The name of the phase or map that contains it; null when there is none. */
  readonly group?: string | null;
  /** Its ids mean nothing outside it, as in the tags of Task Master: they always get the group as a prefix. */
  readonly isApart?: boolean;
}

/** The entries of an array or map that are objects. */
export function itemsOf(node: unknown): Item[] {
  const entries: [string | number, unknown][] = Array.isArray(node)
    ? [...node.entries()]
    : isFields(node)
      ? Object.entries(node)
      : [];
  return entries.flatMap(([key, fields]) => (isFields(fields) ? [{ key, fields }] : []));
}

/** Whether an item has a text that can serve as its title. */
export function isStory({ fields }: Item): boolean {
  return membersCalled(fields, TEXT_KEYS).some(({ value }) => typeof value === 'string' && value !== '');
}

/** Whether an item can be identified: by a text, an id, or its key in a map. */
export function isItem(item: Item): boolean {
  return isStory(item) || keyCalled(item.fields, 'id') !== undefined || typeof item.key === 'string';
}

export function hasFlag(fields: Fields): boolean {
  return DONE_KEYS.some((name) => keyCalled(fields, name) !== undefined);
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
