import type { BacklogFormat, Problem, Story } from '../../../contracts/index.ts';
import { type Parsed, unreadable } from '../api.ts';
import { derivedId, safeStoryId, uniqueIds } from '../ids.ts';
import { blockedReason, isDone } from './prd-done.ts';
import { allCriteria, descriptionOf, fieldOf, keyOf, textOf, titleOf, verificationOf } from './prd-fields.ts';
import { type Item, itemStarts, type StoryList } from './prd-list.ts';
import { type Fields, isFields, membersCalled, NAMES, PROJECT_NAMES, valueCalled } from './prd-names.ts';
import { linesOf, noStories, notes } from './prd-problems.ts';
import { findStoryLists } from './prd-shape.ts';
import { fillPriorities, priorityOf } from './priority.ts';

/** A story of a foreign file: its position, and the id that the loop uses for it. */
export interface NamedItem extends Item {
  readonly id: string;
  /** The id in the file; null when it was derived. */
  readonly ownId: string | null;
  readonly list: StoryList;
}

/** Reads a `prd.json` of any known shape. `asked` is the format that the file's name suggested. */
export function readPrd(value: unknown, text: string, file: string, asked: BacklogFormat): Parsed {
  const lists = findStoryLists(value);
  if (lists.length === 0) return unreadable('prd-json', noStories(value, text, file, asked));
  const named = nameItems(lists);
  const items = named.flat();
  const starts = lists.flatMap((list) => itemStarts(text, list));
  const lines = linesOf(text, starts);
  const priorities = fillPriorities(items.map(({ fields }) => givenPriority(fields)));
  const problems = notes(value, lists, items, { text, file, starts, lines });
  const locals = new Map(named.map((all, at) => [lists[at], localIds(all)]));
  const stories = items.map((item, index) => {
    const line = lines[index] ?? 1;
    if (item.ownId !== null && item.ownId !== item.id && item.list.isApart !== true)
      problems.push(repeatedId(item, line, file));
    return toStory(item, priorities[index] ?? index + 1, line, locals.get(item.list) ?? NO_IDS);
  });
  const top: Fields = isFields(value) ? value : {};
  const branch = valueCalled(top, 'branchname') ?? valueCalled(top, 'branch');
  const description = valueCalled(top, 'description');
  const backlog = {
    format: 'prd-json',
    project: projectOf(top),
    branchName: typeof branch === 'string' && branch !== '' ? branch : null,
    description: typeof description === 'string' ? description : '',
    verifyCommands: verificationOf(top, true).commands,
    stories,
  } as const;
  return { format: 'prd-json', backlog, problems };
}

/**
 * Ids for all items: their own, else the key in a map, else derived from the title. An id repeated in another phase
 * gets the phase as a prefix; one repeated in the same list gets a number.
 */
export function nameItems(lists: readonly StoryList[]): readonly (readonly NamedItem[])[] {
  const unique = uniqueIds();
  const seen = new Map<string, StoryList>();
  return lists.map((list) => {
    const group = list.group ?? null;
    return list.items.map((item) => {
      const key = keyOf(item.fields, 'id');
      const own = key === null ? null : item.fields[key];
      const written = typeof own === 'number' || (typeof own === 'string' && own.trim() !== '') ? String(own) : null;
      const ownId = written ?? (typeof item.key === 'string' ? item.key : null);
      const wish = ownId ?? derivedId(titleOf(item.fields)?.title ?? '', 1);
      const elsewhere = list.isApart === true || (seen.get(wish) ?? list) !== list;
      if (!seen.has(wish)) seen.set(wish, list);
      return { ...item, list, ownId, id: unique(elsewhere && group !== null ? `${group}.${wish}` : wish) };
    });
  });
}

function toStory(item: NamedItem, priority: number, line: number, local: ReadonlyMap<string, string>): Story {
  const { fields, id, list } = item;
  const passes = isDone(fields, list.done);
  const reason = passes ? null : blockedReason(fields);
  const checks = verificationOf(fields).commands;
  return {
    id,
    safeId: safeStoryId(id),
    title: titleOf(fields)?.title ?? id,
    description: descriptionOf(fields),
    acceptanceCriteria: allCriteria(fields),
    priority,
    passes,
    reviewStatus: null,
    reviewCount: 0,
    reviewFeedback: '',
    notes: textOf(fieldOf(fields, 'notes')),
    dependsOn: needsOf(fieldOf(fields, 'dependsOn')).map((text) => local.get(text) ?? local.get(leadOf(text)) ?? text),
    line,
    ...(checks.length > 0 ? { verifyCommands: checks } : {}),
    ...(reason !== null ? { blocked: reason } : {}),
  };
}

const NO_IDS: ReadonlyMap<string, string> = new Map();

/** Ids that the stories of one list use for each other, where the loop uses different ones. */
function localIds(items: readonly NamedItem[]): ReadonlyMap<string, string> {
  const ids = new Map<string, string>();
  for (const { id, ownId } of items) if (ownId !== null && ownId !== id && !ids.has(ownId)) ids.set(ownId, id);
  for (const { id, ownId } of items) if (ownId === id) ids.delete(ownId);
  return ids;
}

function leadOf(text: string): string {
  return /^[#[(\s]*([\p{L}\p{N}][\p{L}\p{N}._/-]*)/u.exec(text)?.[1]?.replace(/[._/-]+$/, '') ?? '';
}

/** The first priority field with a meaningful value: `order: "after login"` has none. */
function givenPriority(fields: Fields): number | null {
  const priorities = membersCalled(fields, NAMES.priority).map(({ value }) => priorityOf(value));
  return priorities.find((priority) => priority !== null) ?? null;
}

/** The dependencies that a story names, one text each; they are matched to stories once all stories are known. */
function needsOf(value: unknown): string[] {
  const all = Array.isArray(value) ? value.flat() : typeof value === 'string' ? value.split(/[,;\n]/) : [value];
  const texts = all.flatMap((entry) => {
    const said = isFields(entry) ? linkedId(entry) : entry;
    return typeof said === 'string' || typeof said === 'number' ? [String(said).trim()] : [];
  });
  return texts.filter((text) => text !== '' && !/^(?:none|nothing|n\/a|null|[-\u2013\u2014])\.?$/i.test(text));
}

/** Kinds of links between issues that block a story; being part of another issue does not. */
const BLOCKING = /^(?:blocks?|blocked[ _-]?by|depends?[ _-]?on|requires|dependency|finish[ _-]?to[ _-]?start)$/i;

/** The story that a link points to, if this story depends on it. */
function linkedId(link: Fields): unknown {
  const kind = valueCalled(link, 'type') ?? valueCalled(link, 'kind') ?? valueCalled(link, 'relation');
  const target = valueCalled(link, 'dependsonid') ?? valueCalled(link, 'dependson') ?? valueCalled(link, 'target');
  if (typeof kind === 'string' && target !== undefined && !BLOCKING.test(kind.trim())) return undefined;
  return target ?? fieldOf(link, 'id') ?? fieldOf(link, 'title');
}

function projectOf(top: Fields): string | null {
  for (const { value } of membersCalled(top, PROJECT_NAMES)) {
    if (typeof value === 'string') return value;
    const inner = isFields(value) ? valueCalled(value, 'name') : null;
    if (typeof inner === 'string') return inner;
  }
  return null;
}

function repeatedId(item: NamedItem, line: number, file: string): Problem {
  return {
    severity: 'warning',
    rule: 'schema/unique-id',
    file,
    line,
    message: `the id ${item.ownId} is used more than once; this story is called ${item.id}`,
    mend: 'Give every story its own id.',
    story: item.id,
  };
}
