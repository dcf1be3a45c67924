import type { BacklogFormat, Problem, Story } from '../../../contracts/model.ts';
import { derivedId, safeStoryId, uniqueIds } from '../ids.ts';
import { lineAt, linesAt } from '../lines.ts';
import { elementStarts, locate } from './json-scan.ts';
import { type Parsed, unreadable } from './parsed.ts';
import { doneFlag } from './prd-done.ts';
import { criteriaOf, dependenciesOf, keyOf, type Role, textOf, titleOf } from './prd-fields.ts';
import { type Fields, findStoryLists, type Item, isFields, type StoryList } from './prd-shape.ts';
import { fillPriorities, priorityOf } from './priority.ts';

/** A story of a foreign file: where it is, and the id by which the loop calls it. */
export interface NamedItem extends Item {
  readonly id: string;
  /** The id as the file gives it; null when it was derived. */
  readonly ownId: string | null;
}

/** Reads a `prd.json` of any known shape. `asked` is the format that the file's name suggested. */
export function readPrd(value: unknown, text: string, file: string, asked: BacklogFormat): Parsed {
  const lists = findStoryLists(value);
  if (lists.length === 0) return unreadable('prd-json', noStories(value, text, file, asked));
  const named = nameItems(lists);
  const items = named.flat();
  const starts = lists.flatMap((list) => elementStarts(text, locate(text, list.path) ?? 0, list.items.length));
  const lines = linesAt(text, starts);
  const priorities = fillPriorities(items.map((item) => priorityOf(fieldOf(item.fields, 'priority'))));
  const problems: Problem[] = [];
  const stories = items.map((item, index) => {
    const line = lines[index] ?? 1;
    if (item.ownId !== null && item.ownId !== item.id) problems.push(repeatedId(item, line, file));
    return toStory(item, priorities[index] ?? index + 1, line);
  });
  const checked = dropStaleDependencies(stories, file, problems);
  const top: Fields = isFields(value) ? value : {};
  const backlog = {
    format: 'prd-json',
    project: projectOf(top),
    branchName: typeof top['branchName'] === 'string' ? top['branchName'] : null,
    description: typeof top['description'] === 'string' ? top['description'] : '',
    verifyCommands: [],
    stories: checked,
  } as const;
  return { format: 'prd-json', backlog, problems };
}

/**
 * Ids for all items: their own, else the key in a map, else derived from the title. An id that comes again (the same
 * slug in two phases) gets a number.
 */
export function nameItems(lists: readonly StoryList[]): readonly (readonly NamedItem[])[] {
  const unique = uniqueIds();
  return lists.map((list) =>
    list.items.map((item) => {
      const key = keyOf(item.fields, 'id');
      const own = key === null ? null : item.fields[key];
      const written = typeof own === 'number' || (typeof own === 'string' && own.trim() !== '') ? String(own) : null;
      const ownId = written ?? (typeof item.key === 'string' ? item.key : null);
      return { ...item, ownId, id: unique(ownId ?? derivedId(titleOf(item.fields)?.title ?? '', 1)) };
    }),
  );
}

function toStory(item: NamedItem, priority: number, line: number): Story {
  const { fields, id } = item;
  const title = titleOf(fields);
  const descriptionKey = keyOf(fields, 'description');
  const reason = fields['blocked'];
  return {
    id,
    safeId: safeStoryId(id),
    title: title?.title ?? id,
    description: descriptionKey === title?.key ? '' : textOf(fieldOf(fields, 'description')),
    acceptanceCriteria: criteriaOf(fieldOf(fields, 'acceptanceCriteria')),
    priority,
    passes: doneFlag(fields)?.done ?? false,
    reviewStatus: null,
    reviewCount: 0,
    reviewFeedback: '',
    notes: textOf(fieldOf(fields, 'notes')),
    dependsOn: dependenciesOf(fieldOf(fields, 'dependsOn')),
    line,
    ...(typeof reason === 'string' && reason !== '' ? { blocked: reason } : {}),
  };
}

function fieldOf(fields: Fields, role: Role): unknown {
  const key = keyOf(fields, role);
  return key === null ? undefined : fields[key];
}

function projectOf(top: Fields): string | null {
  const names = ['project', 'projectName', 'name', 'title', 'productName'];
  for (const value of names.map((name) => top[name])) {
    if (typeof value === 'string') return value;
    if (isFields(value) && typeof value['name'] === 'string') return value['name'];
  }
  return null;
}

/** A dependency that no story has holds nothing back once its own story is done: then it is only worth a warning. */
function dropStaleDependencies(stories: readonly Story[], file: string, problems: Problem[]): readonly Story[] {
  const ids = new Set(stories.map((story) => story.id));
  return stories.map((story) => {
    const unknown = story.passes ? story.dependsOn.filter((id) => !ids.has(id)) : [];
    if (unknown.length === 0) return story;
    problems.push({
      severity: 'warning',
      rule: 'schema/unknown-dependency',
      file,
      line: story.line,
      message: `${story.id}: depended on ${unknown.join(', ')}, which no story is called`,
      mend: 'Nothing to do: the story is done.',
      story: story.id,
    });
    return { ...story, dependsOn: story.dependsOn.filter((id) => ids.has(id)) };
  });
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

function noStories(value: unknown, text: string, file: string, asked: BacklogFormat): Problem {
  const base = { severity: 'error', rule: 'schema/no-stories', file, line: lineAt(text, text.search(/\S/)) } as const;
  if (!Array.isArray(value) && !isFields(value)) {
    const message = 'the file must hold an object with a list of stories';
    return { ...base, message, mend: 'Write {"userStories": [ … ]}.' };
  }
  if (asked === 'tasks-json') {
    return {
      ...base,
      rule: 'schema/required',
      message: '"userStories" is missing',
      mend: 'Add "userStories": an array of stories.',
    };
  }
  return {
    ...base,
    message: 'no list of stories was found in this document',
    mend: 'Put the stories into "userStories", each with an "id", a "title" and "passes".',
  };
}
