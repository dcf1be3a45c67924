import { children, elementStarts, locate } from './json-scan.ts';
import type { StoryList } from './prd-list.ts';

/** Where the items of a list start in the text, one for each; lists may hold other things between them. */
export function itemStarts(text: string, list: StoryList): number[] {
  const at = locate(text, list.path) ?? 0;
  const keys = list.items.map(({ key }) => key);
  if (typeof keys[0] === 'string') {
    // JavaScript sorts the keys of a map that look like numbers, the file need not.
    const starts = new Map(children(text, at).map((child) => [child.key, child.start]));
    return keys.map((key) => starts.get(String(key)) ?? at);
  }
  const starts = elementStarts(text, at, list.size);
  return keys.map((key) => starts[Number(key)] ?? at);
}
