import type { BacklogFormat, Story } from '../../../contracts/index.ts';
import { blankBacklog, blankStory, type Parsed, unreadable } from '../api.ts';
import { leadingId } from '../ids.ts';
import { blockedReason, isDone } from './prd-done.ts';
import { allCriteria, descriptionOf, fieldOf, textOf, verificationOf } from './prd-fields.ts';
import { findStoryLists, itemStarts, type NamedItem } from './prd-lists.ts';
import { FIELD_NAMES, type Fields, isFields, membersCalled, NAMES, titleOf, valueCalled } from './prd-names.ts';
import { noStories, notesOn } from './prd-notes.ts';
import { fillPriorities, priorityOf } from './priority.ts';
import { linesAt, repeatedId } from './text.ts';

/** Reads a `prd.json` of any known shape. `asked` is the format that the file's name suggested. */
export function readPrd(value: unknown, text: string, file: string, asked: BacklogFormat): Parsed {
  const lists = findStoryLists(value);
  if (lists.length === 0) return unreadable('prd-json', noStories(value, text, file, asked));
  const items = lists.flatMap((list) => list.items);
  const starts = lists.flatMap((list) => itemStarts(text, list));
  const lines = linesAt(text, starts);
  const priorities = fillPriorities(items.map(({ fields }) => givenPriority(fields)));
  const problems = notesOn(value, lists, { text, file, items, starts, lines });
  let at = -1;
  const stories = lists.flatMap((list) => {
    const local = localIds(list.items);
    return list.items.map((item) => {
      at += 1;
      const line = lines[at] ?? 1;
      if (item.ownId !== null && item.ownId !== item.id && list.isApart !== true)
        problems.push(repeatedId(item.ownId, item.id, line, file));
      return toStory(item, priorities[at] ?? at + 1, line, local);
    });
  });
  const top: Fields = isFields(value) ? value : {};
  const branch = valueCalled(top, 'branchname', 'branch');
  const description = valueCalled(top, 'description');
  const backlog = {
    ...blankBacklog('prd-json'),
    project: projectOf(top),
    branchName: typeof branch === 'string' && branch !== '' ? branch : null,
    description: typeof description === 'string' ? description : '',
    verifyCommands: verificationOf(top, true).commands,
    stories,
  };
  return { format: 'prd-json', backlog, problems };
}

function toStory(
  { fields, id, done }: NamedItem,
  priority: number,
  line: number,
  local: ReadonlyMap<string, string>,
): Story {
  const passes = isDone(fields, done);
  const reason = passes ? null : blockedReason(fields);
  const checks = verificationOf(fields).commands;
  const { repo } = fields;
  return {
    ...blankStory(id, titleOf(fields)?.title ?? id, line),
    description: descriptionOf(fields),
    acceptanceCriteria: allCriteria(fields),
    priority,
    passes,
    notes: textOf(fieldOf(fields, 'notes')),
    dependsOn: needsOf(fieldOf(fields, 'dependsOn')).map(
      (text) => local.get(text) ?? local.get(leadingId(text)) ?? text,
    ),
    ...(checks.length > 0 ? { verifyCommands: checks } : {}),
    ...(reason !== null ? { blocked: reason } : {}),
    ...(typeof repo === 'string' && repo !== '' ? { repo } : {}),
  };
}

/** Ids that the stories of one list use for each other, where the loop uses different ones. */
function localIds(items: readonly NamedItem[]): ReadonlyMap<string, string> {
  const ids = new Map<string, string>();
  for (const { id, ownId } of items) if (ownId !== null && ownId !== id && !ids.has(ownId)) ids.set(ownId, id);
  for (const { id, ownId } of items) if (ownId === id) ids.delete(ownId);
  return ids;
}

/** The first priority field with a meaningful value: `order: "after login"` has none. */
function givenPriority(fields: Fields): number | null {
  const priorities = membersCalled(fields, FIELD_NAMES.priority).map(({ value }) => priorityOf(value));
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

function linkedId(link: Fields): unknown {
  const kind = valueCalled(link, 'type', 'kind', 'relation');
  const target = valueCalled(link, 'dependsonid', 'dependson', 'target');
  if (typeof kind === 'string' && target !== undefined && !BLOCKING.test(kind.trim())) return undefined;
  return target ?? fieldOf(link, 'id') ?? fieldOf(link, 'title');
}

function projectOf(top: Fields): string | null {
  for (const { value } of membersCalled(top, NAMES.project)) {
    if (typeof value === 'string') return value;
    const inner = isFields(value) ? valueCalled(value, 'name') : null;
    if (typeof inner === 'string') return inner;
  }
  return null;
}
