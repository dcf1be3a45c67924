import type { NewStory, StoryFields } from '../../../contracts/model.ts';
import {
  appendChildren,
  applyPatches,
  lineIndent,
  type Patch,
  renderLike,
  setMember,
  type Value,
} from './json-edit.ts';
import { type FileLayout, fileLayout, renderScalar } from './json-layout.ts';
import { type Child, children, elementStarts, locate, skipValue } from './json-scan.ts';
import { parseJson } from './json-syntax.ts';
import { doneFlag, writeDone } from './prd-done.ts';
import { keyOf, titleOf } from './prd-fields.ts';
import { type NamedItem, nameItems } from './prd-json.ts';
import { type Fields, findStoryLists, type StoryList } from './prd-shape.ts';

/** A foreign file after an edit, and the fields that it has no place for, by story id. */
export interface ForeignEdit {
  readonly text: string;
  readonly elsewhere: ReadonlyMap<string, Omit<StoryFields, 'passes'>>;
}

/**
 * A `prd.json` with stories changed and added. The done flag is written as the file writes it; texts, criteria,
 * priorities and dependencies where the story has such a field of the same type; everything else goes elsewhere.
 */
export function editPrd(
  text: string,
  changes: ReadonlyMap<string, StoryFields>,
  added: readonly NewStory[],
): ForeignEdit {
  const parsed = parseJson(text, '');
  if ('problem' in parsed) throw new Error(`a backlog was edited that cannot be read: ${parsed.problem.message}`);
  const lists = findStoryLists(parsed.value);
  const named = nameItems(lists);
  const all = lists.flatMap((list) => list.items.map((item) => item.fields));
  const file = fileLayout(text);
  const patches: Patch[] = [];
  const elsewhere = new Map<string, Omit<StoryFields, 'passes'>>();
  for (const [at, list] of lists.entries()) {
    const items = named[at] ?? [];
    if (!items.some((item) => changes.has(item.id))) continue;
    const starts = elementStarts(text, locate(text, list.path) ?? 0, list.items.length);
    for (const [index, item] of items.entries()) {
      const fields = changes.get(item.id);
      const start = starts[index];
      if (!fields || start === undefined) continue;
      const end = skipValue(text, start);
      const edited = editItem(text.slice(start, end), item, fields, all, file);
      patches.push({ start, end, text: edited.text });
      elsewhere.set(item.id, edited.rest);
    }
  }
  const patched = applyPatches(text, patches);
  const list = lists.at(-1);
  if (added.length === 0 || !list) return { text: patched, elsewhere };
  for (const story of added) elsewhere.set(story.id, leftOver(story, list));
  return { text: addItems(patched, list, added, all, file), elsewhere };
}

function editItem(
  story: string,
  item: NamedItem,
  fields: StoryFields,
  all: readonly Fields[],
  file: FileLayout,
): { text: string; rest: Omit<StoryFields, 'passes'> } {
  const { passes, ...others } = fields;
  let text = story;
  if (passes !== undefined && passes !== (doneFlag(item.fields)?.done ?? false)) {
    const flag = writeDone(item.fields, passes, all);
    text = setMember(text, flag.key, flag.value, file, []);
  }
  const rest: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(others) as [keyof typeof others, Value][]) {
    const key = placeFor(item.fields, name, value);
    if (key === null) rest[name] = value;
    else text = setMember(text, key, value, file, []);
  }
  return { text, rest };
}

/** The key of a story that can take the new value of a field without changing its type; null when there is none. */
function placeFor(fields: Fields, name: keyof StoryFields, value: Value): string | null {
  switch (name) {
    case 'title':
      return titleOf(fields)?.key ?? null;
    case 'description': {
      const key = keyOf(fields, 'description');
      return key !== null && key !== titleOf(fields)?.key && typeof fields[key] === 'string' ? key : null;
    }
    case 'priority': {
      const key = keyOf(fields, 'priority');
      return key !== null && typeof fields[key] === typeof value ? key : null;
    }
    case 'acceptanceCriteria':
    case 'dependsOn': {
      const key = keyOf(fields, name);
      const present = key === null ? null : fields[key];
      return Array.isArray(present) && present.every((entry) => typeof entry === 'string') ? key : null;
    }
    default:
      return null;
  }
}

/** The shape of a new story: what the last story of the list has, under the names that it uses. */
function membersOf(story: NewStory, list: StoryList, all: readonly Fields[]): [string, Value][] {
  const like = list.items.at(-1)?.fields ?? {};
  const members: [string, Value][] = [];
  const idKey = keyOf(like, 'id') ?? (typeof list.items[0]?.key === 'string' ? null : 'id');
  if (idKey !== null)
    members.push([idKey, typeof like[idKey] === 'number' && /^\d+$/.test(story.id) ? Number(story.id) : story.id]);
  const title = titleOf(like);
  members.push([title?.key ?? 'title', story.title]);
  const description = keyOf(like, 'description') ?? 'description';
  if (story.description && description !== title?.key) members.push([description, story.description]);
  const criteria = story.acceptanceCriteria ?? [];
  if (criteria.length > 0) members.push([keyOf(like, 'acceptanceCriteria') ?? 'acceptanceCriteria', criteria]);
  if (story.priority !== undefined && takesNumbers(like))
    members.push([keyOf(like, 'priority') ?? 'priority', story.priority]);
  const needs = story.dependsOn ?? [];
  if (needs.length > 0) members.push([keyOf(like, 'dependsOn') ?? 'dependsOn', needs]);
  const flag = writeDone({}, false, all);
  members.push([flag.key, flag.value]);
  return members;
}

function leftOver(story: NewStory, list: StoryList): Omit<StoryFields, 'passes'> {
  const like = list.items.at(-1)?.fields ?? {};
  const title = titleOf(like);
  const rest: Omit<StoryFields, 'passes'> = {};
  if (story.notes) rest.notes = story.notes;
  if (story.description && (keyOf(like, 'description') ?? 'description') === title?.key)
    rest.description = story.description;
  if (story.priority !== undefined && !takesNumbers(like)) rest.priority = story.priority;
  return rest;
}

function takesNumbers(like: Fields): boolean {
  return typeof like[keyOf(like, 'priority') ?? ''] === 'number';
}

function addItems(
  text: string,
  list: StoryList,
  added: readonly NewStory[],
  all: readonly Fields[],
  file: FileLayout,
): string {
  const start = locate(text, list.path) ?? 0;
  const last: Child | null = children(text, start).at(-1) ?? null;
  const sample = last ? text.slice(last.start, last.end) : null;
  const indent = lineIndent(text, start) + file.unit;
  const parts = added.map((story) => {
    const object = renderLike(sample, membersOf(story, list, all), file, indent);
    return last?.key == null ? object : `${renderScalar(story.id, file)}:${file.gap}${object}`;
  });
  return applyPatches(text, [appendChildren(text, start, last, parts, file)]);
}
