import { applyEdits, type Edit } from 'jsonc-parser';
import type { Backlog, NewStory, Story, StoryFields } from '../../../contracts/index.ts';
import { elementStarts, locate, skipValue } from './json.ts';
import {
  appendChildren,
  type FileLayout,
  fileLayout,
  lineIndent,
  removeMember,
  renderLike,
  setMember,
  type Value,
} from './json-edit.ts';

import { judgeField, STORY_FIELDS, STORY_RULES, storyStarts } from './tasks.ts';
import { linesAt } from './text.ts';

/** The native file with stories changed and added; every other byte stays. */
export function editTasks(
  text: string,
  backlog: Backlog,
  changes: ReadonlyMap<string, StoryFields>,
  added: readonly NewStory[],
): string {
  const file = fileLayout(text);
  const starts = storyStarts(text, backlog.stories.length);
  const edits: Edit[] = [];
  for (const [index, story] of backlog.stories.entries()) {
    const fields = changes.get(story.id);
    const start = starts[index];
    if (!fields || start === undefined) continue;
    const end = skipValue(text, start);
    edits.push({ offset: start, length: end - start, content: editStory(text.slice(start, end), fields, file) });
  }
  const edited = applyEdits(text, edits);
  return added.length === 0 ? edited : addStories(edited, backlog, added, file);
}

/** The backlog after the same changes, without reading megabytes of JSON again; null when it must be validated again. */
export function changeBacklog(
  text: string,
  backlog: Backlog,
  changes: ReadonlyMap<string, StoryFields>,
): Backlog | null {
  for (const fields of changes.values()) {
    if (fields.dependsOn !== undefined) return null;
    const values = fields as Readonly<Record<string, unknown>>;
    if (STORY_RULES.some((rule) => rule.field in values && judgeField(rule, values[rule.field]) !== null)) return null;
  }
  const lines = linesAt(text, storyStarts(text, backlog.stories.length));
  const stories = backlog.stories.map((story, index) => {
    const line = lines[index] ?? story.line;
    const fields = changes.get(story.id);
    if (fields) return changeStory(story, fields, line);
    return line === story.line ? story : { ...story, line };
  });
  return { ...backlog, stories };
}

function changeStory(story: Story, fields: StoryFields, line: number): Story {
  const { blocked: before, ...rest } = story;
  const { blocked = before, ...changed } = fields;
  const after = { ...rest, ...changed, line };
  return blocked ? { ...after, blocked } : after;
}

function editStory(story: string, fields: StoryFields, file: FileLayout): string {
  let edited = story;
  for (const [key, value] of Object.entries(fields) as [string, Value | undefined][]) {
    if (value === undefined) continue;
    edited =
      key === 'blocked' && value === null
        ? removeMember(edited, key)
        : setMember(edited, key, value, file, STORY_FIELDS);
  }
  return edited;
}

function addStories(text: string, backlog: Backlog, added: readonly NewStory[], file: FileLayout): string {
  const list = locate(text, ['userStories']) ?? 0;
  const start = elementStarts(text, list, backlog.stories.length).at(-1);
  const last = start === undefined ? null : { key: null, from: start, start, end: skipValue(text, start) };
  const indent = last ? '' : lineIndent(text, list) + file.unit;
  const sample = last ? text.slice(last.start, last.end) : null;
  let priority = backlog.stories.reduce((highest, story) => Math.max(highest, story.priority), 0);
  const parts = added.map((story) => {
    priority = story.priority ?? Math.floor(priority) + 1;
    return renderLike(sample, membersOf(story, priority), file, indent);
  });
  return applyEdits(text, [appendChildren(text, list, last, parts, file)]);
}

function membersOf(story: NewStory, priority: number): [string, Value][] {
  const members: [string, Value][] = [
    ['id', story.id],
    ['title', story.title],
    ['description', story.description ?? ''],
    ['acceptanceCriteria', story.acceptanceCriteria ?? []],
    ['priority', priority],
    ['passes', false],
    ['reviewStatus', null],
    ['reviewCount', 0],
    ['reviewFeedback', ''],
    ['notes', story.notes ?? ''],
    ['dependsOn', story.dependsOn ?? []],
  ];
  if (story.model !== undefined) members.push(['model', story.model]);
  if (story.verifyCommands !== undefined) members.push(['verifyCommands', story.verifyCommands]);
  return members;
}
