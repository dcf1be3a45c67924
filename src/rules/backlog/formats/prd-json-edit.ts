import { applyEdits, type Edit } from 'jsonc-parser';
import type { NewStory, StoryFields } from '../../../contracts/index.ts';
import {
  appendChildren,
  type FileLayout,
  fileLayout,
  lineIndent,
  removeMember,
  renderLike,
  renderScalar,
  setMember,
  type Value,
} from './json-edit.ts';
import { type Child, childAt, children, locate, skipValue } from './json-scan.ts';
import { parseJson } from './json-syntax.ts';
import { isDone, unblock, writeDone } from './prd-done.ts';
import { allCriteria, descriptionOf, keyOf, titleOf } from './prd-fields.ts';
import { type NamedItem, nameItems } from './prd-json.ts';
import { itemStarts, type StoryList } from './prd-list.ts';
import type { Fields } from './prd-names.ts';
import { findStoryLists } from './prd-shape.ts';

/** A foreign file after an edit, and the fields that it has no place for, by story id. */
export interface ForeignEdit {
  readonly text: string;
  readonly elsewhere: ReadonlyMap<string, Omit<StoryFields, 'passes'>>;
}

/**
 * A `prd.json` with stories changed and added. The done flag is written in the file's style; texts, criteria,
 * priorities and dependencies only if the story has such a field of the same type; everything else is stored elsewhere.
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
  const ids = new Set(named.flat().map(({ id }) => id));
  const file = fileLayout(text);
  const edits: Edit[] = [];
  const elsewhere = new Map<string, Omit<StoryFields, 'passes'>>();
  for (const [at, list] of lists.entries()) {
    const items = named[at] ?? [];
    if (!items.some((item) => changes.has(item.id))) continue;
    const starts = itemStarts(text, list);
    // The words of the story's own list come before those of other lists: bugs are `fixed`, features `done`.
    const near = lists.length > 1 ? [...list.items.map((item) => item.fields), ...all] : all;
    for (const [index, item] of items.entries()) {
      const fields = changes.get(item.id);
      const start = starts[index];
      if (!fields || start === undefined) continue;
      const end = skipValue(text, start);
      const edited = editItem(text.slice(start, end), item, fields, near, file, ids);
      edits.push({ offset: start, length: end - start, content: edited.text });
      elsewhere.set(item.id, edited.rest);
    }
  }
  const patched = applyEdits(text, edits);
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
  ids: ReadonlySet<string>,
): { text: string; rest: Omit<StoryFields, 'passes'> } {
  const { passes, ...others } = fields;
  let text = story;
  // To unblock a story that its own file blocks, the file is changed.
  const marks = fields.blocked === null ? [...unblock(item.fields, all)] : [];
  if (passes !== undefined && passes !== isDone(item.fields, item.list.done)) {
    marks.push(writeDone(item.fields, passes, all));
  }
  for (const [path, value] of marks) text = setAt(text, path, value, file);
  const rest: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(others) as [keyof typeof others, Value][]) {
    const key = placeFor(item.fields, name, value, ids);
    if (key === null) rest[name] = value;
    else text = setMember(text, key, value, file, []);
  }
  return { text, rest };
}

/** Sets a member at the end of a path of keys; undefined removes it. The text around it keeps its bytes. */
function setAt(
  object: string,
  [key = '', ...below]: readonly string[],
  value: string | boolean | number | undefined,
  file: FileLayout,
): string {
  const inner = below.length === 0 ? undefined : childAt(children(object, 0), key);
  if (inner) {
    const edited = setAt(object.slice(inner.start, inner.end), below, value, file);
    return object.slice(0, inner.start) + edited + object.slice(inner.end);
  }
  return value === undefined ? removeMember(object, key) : setMember(object, key, value, file, []);
}

/**
 * The key of a story that can take the new value of a field without changing its type, and is the only key the field
 * was read from; null when there is none: a value combined from several keys cannot be written back into one of them.
 */
function placeFor(fields: Fields, name: keyof StoryFields, value: Value, ids: ReadonlySet<string>): string | null {
  switch (name) {
    case 'title':
      return titleOf(fields)?.key ?? null;
    case 'description': {
      const key = keyOf(fields, 'description');
      return key !== null && key !== titleOf(fields)?.key && fields[key] === descriptionOf(fields) ? key : null;
    }
    case 'priority': {
      const key = keyOf(fields, 'priority');
      return key !== null && typeof fields[key] === typeof value ? key : null;
    }
    case 'acceptanceCriteria': {
      const key = keyOf(fields, name);
      const present = key === null ? null : fields[key];
      return Array.isArray(present) && JSON.stringify(present) === JSON.stringify(allCriteria(fields)) ? key : null;
    }
    case 'dependsOn': {
      const key = keyOf(fields, name);
      const present = key === null ? null : fields[key];
      return Array.isArray(present) && present.every((entry) => typeof entry === 'string' && ids.has(entry))
        ? key
        : null;
    }
    default:
      return null;
  }
}

/** The shape of a new story: the members of the list's last story, under the names that it uses. */
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
  const [path, flag] = writeDone({}, false, all);
  members.push([path[0] ?? 'passes', flag ?? false]);
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
  return applyEdits(text, [appendChildren(text, start, last, parts, file)]);
}
