import { applyEdits, type Edit } from 'jsonc-parser';
import type { NewStory, StoryFields } from '../../../contracts/index.ts';
import type { ForeignEdit } from '../api.ts';
import { childAt, children, locate, parseJson, skipValue } from './json.ts';
import {
  appendChildren,
  type FileLayout,
  fileLayout,
  lineIndent,
  removeChild,
  removeMember,
  renderLike,
  renderScalar,
  setMember,
  type Value,
} from './json-edit.ts';
import { isDone, resolvedOff, unblock, writeDone } from './prd-done.ts';
import { allCriteria, descriptionOf } from './prd-fields.ts';
import { findStoryLists, itemStarts, type NamedItem, type StoryList } from './prd-lists.ts';
import { type Fields, keyOf, type Role, titleOf } from './prd-names.ts';

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
  const named = lists.flatMap((list) => list.items);
  const all = named.map((item) => item.fields);
  const ids = new Set(named.map(({ id }) => id));
  const file = fileLayout(text);
  const edits: Edit[] = [];
  const elsewhere = new Map<string, Omit<StoryFields, 'passes'>>();
  for (const list of lists) {
    if (!list.items.some((item) => changes.has(item.id))) continue;
    const starts = itemStarts(text, list);
    // The words of the story's own list come before those of other lists: bugs are `fixed`, features `done`.
    const near = lists.length > 1 ? [...list.items.map((item) => item.fields), ...all] : all;
    for (const [index, item] of list.items.entries()) {
      const fields = changes.get(item.id);
      const start = starts[index];
      if (!fields || start === undefined) continue;
      const end = skipValue(text, start);
      const { passes, ...others } = fields;
      // To unblock a story that its own file blocks, the file is changed.
      const marks = fields.blocked === null ? [...unblock(item.fields, near)] : [];
      if (passes !== undefined && passes !== isDone(item.fields, item.done)) {
        marks.push(writeDone(item.fields, passes, near), ...(passes ? resolvedOff(item.fields) : []));
      }
      const marked = marks.reduce((object, [path, value]) => setAt(object, path, value, file), text.slice(start, end));
      const edited = setFields(marked, item, others, file, ids);
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

/** A `prd.json` without one story. */
export function removeFromPrd(text: string, id: string): string {
  const parsed = parseJson(text, '');
  const lists = 'problem' in parsed ? [] : findStoryLists(parsed.value);
  for (const list of lists) {
    const item = list.items.find((one) => one.id === id);
    if (item === undefined) continue;
    const start = locate(text, list.path) ?? 0;
    const end = skipValue(text, start);
    const all = children(text, start);
    const index = typeof item.key === 'string' ? all.findIndex(({ key }) => key === item.key) : Number(item.key);
    return text.slice(0, start) + removeChild(text.slice(start, end), index) + text.slice(end);
  }
  return text;
}

function setFields(
  story: string,
  item: NamedItem,
  fields: Omit<StoryFields, 'passes'>,
  file: FileLayout,
  ids: ReadonlySet<string>,
): { text: string; rest: Omit<StoryFields, 'passes'> } {
  let text = story;
  const rest: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(fields) as [keyof typeof fields, Value][]) {
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

/** The key that can take a field's new value: of the same type, and the only key the field was read from. */
function placeFor(fields: Fields, name: keyof StoryFields, value: Value, ids: ReadonlySet<string>): string | null {
  if (name === 'title') return titleOf(fields)?.key ?? null;
  if (name !== 'description' && name !== 'priority' && name !== 'acceptanceCriteria' && name !== 'dependsOn')
    return null;
  const key = keyOf(fields, name);
  if (key === null) return null;
  const present = fields[key];
  const fits = {
    description: key !== titleOf(fields)?.key && present === descriptionOf(fields),
    priority: typeof present === typeof value,
    acceptanceCriteria: Array.isArray(present) && JSON.stringify(present) === JSON.stringify(allCriteria(fields)),
    dependsOn: Array.isArray(present) && present.every((entry) => typeof entry === 'string' && ids.has(entry)),
  };
  return fits[name] ? key : null;
}

/** The shape of a new story: the members of the list's last story, under the names that it uses. */
function membersOf(story: NewStory, list: StoryList, all: readonly Fields[]): [string, Value][] {
  const like = list.items.at(-1)?.fields ?? {};
  const keyFor = (role: Role) => keyOf(like, role) ?? role;
  const members: [string, Value][] = [];
  const idKey = keyOf(like, 'id') ?? (typeof list.items[0]?.key === 'string' ? null : 'id');
  if (idKey !== null)
    members.push([idKey, typeof like[idKey] === 'number' && /^\d+$/.test(story.id) ? Number(story.id) : story.id]);
  const titleKey = titleOf(like)?.key ?? 'title';
  members.push([titleKey, story.title]);
  const { description, acceptanceCriteria = [], dependsOn = [], priority } = story;
  if (description && keyFor('description') !== titleKey) members.push([keyFor('description'), description]);
  if (acceptanceCriteria.length > 0) members.push([keyFor('acceptanceCriteria'), acceptanceCriteria]);
  if (priority !== undefined && takesNumbers(like)) members.push([keyFor('priority'), priority]);
  if (dependsOn.length > 0) members.push([keyFor('dependsOn'), dependsOn]);
  const [path, flag] = writeDone({}, false, all);
  members.push([path[0] ?? 'passes', flag ?? false]);
  return members;
}

function leftOver({ notes, description, priority }: NewStory, list: StoryList): Omit<StoryFields, 'passes'> {
  const like = list.items.at(-1)?.fields ?? {};
  const isTitle = (keyOf(like, 'description') ?? 'description') === titleOf(like)?.key;
  return {
    ...(notes ? { notes } : {}),
    ...(description && isTitle ? { description } : {}),
    ...(priority !== undefined && !takesNumbers(like) ? { priority } : {}),
  };
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
  const last = children(text, start).at(-1) ?? null;
  const sample = last ? text.slice(last.start, last.end) : null;
  const indent = lineIndent(text, start) + file.unit;
  const parts = added.map((story) => {
    const object = renderLike(sample, membersOf(story, list, all), file, indent);
    return last?.key == null ? object : `${renderScalar(story.id, file)}:${file.gap}${object}`;
  });
  return applyEdits(text, [appendChildren(text, start, last, parts, file)]);
}
