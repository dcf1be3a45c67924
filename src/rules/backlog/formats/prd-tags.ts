import { foldKey, isFields, keyCalled } from './keys.ts';
import { hasFlag, isStory, itemsOf, type StoryList } from './prd-list.ts';

/**
 * The lists of Task Master: an object for each tag or branch, each with its `tasks`. All of them are work; ids of other
 * tags than the default one mean nothing outside their own. Empty for a document with fewer than two.
 */
export function tagsIn(document: unknown, isNoWork: RegExp): readonly StoryList[] {
  if (!isFields(document)) return [];
  const tags = Object.entries(document).flatMap(([tag, inner]): StoryList[] => {
    const key = isFields(inner) && !isNoWork.test(foldKey(tag)) ? keyCalled(inner, 'tasks') : undefined;
    const tasks = key === undefined || !isFields(inner) ? null : inner[key];
    if (key === undefined || !Array.isArray(tasks)) return [];
    const items = itemsOf(tasks);
    const fits = items.length > 0 && items.every((item) => isStory(item) && hasFlag(item.fields));
    return fits
      ? [{ path: [tag, key], items, size: tasks.length, done: null, isApart: foldKey(tag) !== 'master' }]
      : [];
  });
  return tags.length > 1 ? tags : [];
}
