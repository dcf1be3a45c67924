import type { BacklogFormat, Problem, Story } from '../../../contracts/model.ts';
import { derivedId, safeStoryId, uniqueIds } from '../ids.ts';
import { type Fields, isFields, valueCalled } from './keys.ts';
import { type Parsed, unreadable } from './parsed.ts';
import { blockedReason, isDone } from './prd-done.ts';
import { allCriteria, descriptionOf, fieldOf, keyOf, NAMES, titleOf, verificationOf } from './prd-fields.ts';
import { itemStarts } from './prd-items.ts';
import type { Item, StoryList } from './prd-list.ts';
import { linesOf, notes } from './prd-notes.ts';
import { noStories } from './prd-refusal.ts';
import { findStoryLists } from './prd-shape.ts';
import { textOf } from './prd-texts.ts';
import { fillPriorities, priorityOf } from './priority.ts';

/** A story of a foreign file: where it is, and the id by which the loop calls it. */
export interface NamedItem extends Item {
  readonly id: string;
  /** The id as the file gives it; null when it was derived. */
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
 * Ids for all items: their own, else the key in a map, else derived from the title. An id that comes again in another
 * phase gets the phase in front, one that comes again in the same list a number.
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

/** Ids as the stories of one list say them to each other, where the loop calls them otherwise. */
function localIds(items: readonly NamedItem[]): ReadonlyMap<string, string> {
  const ids = new Map<string, string>();
  for (const { id, ownId } of items) if (ownId !== null && ownId !== id && !ids.has(ownId)) ids.set(ownId, id);
  for (const { id, ownId } of items) if (ownId === id) ids.delete(ownId);
  return ids;
}

function leadOf(text: string): string {
  return /^[#[(\s]*([\p{L}\p{N}][\p{L}\p{N}._/-]*)/u.exec(text)?.[1]?.replace(/[._/-]+$/, '') ?? '';
}

/** The first of the names of a priority whose value says something: `order: "after login"` does not. */
function givenPriority(fields: Fields): number | null {
  for (const name of NAMES.priority) {
    const priority = priorityOf(valueCalled(fields, name));
    if (priority !== null) return priority;
  }
  return null;
}

/** What a story says it waits for, one text for each; which stories these are is found out when all are known. */
function needsOf(value: unknown): string[] {
  const all = Array.isArray(value) ? value.flat() : typeof value === 'string' ? value.split(/[,;\n]/) : [value];
  const texts = all.flatMap((entry) => {
    const said = isFields(entry) ? linkedId(entry) : entry;
    return typeof said === 'string' || typeof said === 'number' ? [String(said).trim()] : [];
  });
  return texts.filter((text) => text !== '' && !/^(?:none|nothing|n\/a|null|[-\u2013\u2014])\.?$/i.test(text));
}

/** Kinds of links between issues that hold a story back; that one issue is part of another does not. */
const BLOCKING = /^(?:blocks?|blocked[ _-]?by|depends?[ _-]?on|requires|dependency|finish[ _-]?to[ _-]?start)$/i;

/** The story that a link leads to, if it is one that this story waits for. */
function linkedId(link: Fields): unknown {
  const kind = valueCalled(link, 'type') ?? valueCalled(link, 'kind') ?? valueCalled(link, 'relation');
  const target = valueCalled(link, 'dependsonid') ?? valueCalled(link, 'dependson') ?? valueCalled(link, 'target');
  if (typeof kind === 'string' && target !== undefined && !BLOCKING.test(kind.trim())) return undefined;
  return target ?? fieldOf(link, 'id') ?? fieldOf(link, 'title');
}

function projectOf(top: Fields): string | null {
  for (const name of ['project', 'projectname', 'name', 'title', 'productname', 'product']) {
    const value = valueCalled(top, name);
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
