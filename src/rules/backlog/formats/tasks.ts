import { applyEdits, type Edit } from 'jsonc-parser';
import type { Backlog, NewStory, Problem, Story, StoryFields } from '../../../contracts/index.ts';
import { nearest } from '../../text/index.ts';
import { blankStory, type Parsed } from '../api.ts';
import { type FieldRule, judgeField, STORY_FIELDS, STORY_RULES, show, TOP_RULES } from './fields.ts';
import { childAt, children, elementStarts, locate, skipValue } from './json.ts';
import {
  appendChildren,
  type FileLayout,
  fileLayout,
  lineIndent,
  removeChild,
  removeMember,
  renderLike,
  setMember,
  type Value,
} from './json-edit.ts';
import { type Fields, isFields } from './prd-names.ts';
import { error, lineAt, linesAt, warning } from './text.ts';

/** The version of the native file that this code reads; files without a number are of this version. */
const TASKS_VERSION = 1;
const REVIEW_FIELDS = ['passes', 'reviewStatus', 'reviewCount'];

const NONE: readonly string[] = [];

/** Whether a parsed file is meant to be native: its stories have the loop's fields (or there are none, or no list). */
export function isNative(value: unknown): boolean {
  if (!isFields(value) || !('userStories' in value)) return false;
  const stories = value['userStories'];
  if (!Array.isArray(stories) || stories.length === 0) return true;
  return stories.some((story) => !isFields(story) || REVIEW_FIELDS.some((field) => field in story));
}

/** Reads a native backlog and checks every field of it; missing optional fields get their defaults. */
export function readTasks(value: Fields, text: string, file: string): Parsed {
  const problems = checkTop(value, text, file);
  const raw = Array.isArray(value['userStories']) ? (value['userStories'] as unknown[]) : [];
  const starts = storyStarts(text, raw.length);
  const lines = linesAt(text, starts);
  const stories: Story[] = [];
  for (const [index, fields] of raw.entries()) {
    const line = lines[index] ?? 1;
    if (!isFields(fields)) {
      const message = `story ${index + 1} is ${show(fields)}, expected an object`;
      problems.push(error('schema/type', file, line, message, 'Write it as {"id": …, "title": …}.'));
      continue;
    }
    stories.push(readStory(fields, { index, line, start: starts[index] ?? 0, text, file }, problems));
  }
  const backlog = {
    format: 'tasks-json',
    project: stringOr(value['project'], null),
    branchName: stringOr(value['branchName'], null),
    description: stringOr(value['description'], ''),
    verifyCommands: strings(value['verifyCommands']),
    stories,
  } as const;
  return { format: 'tasks-json', backlog, problems };
}

function storyStarts(text: string, count: number): number[] {
  const list = count > 0 ? locate(text, ['userStories']) : null;
  return list === null ? [] : elementStarts(text, list, count);
}

function checkTop(value: Fields, text: string, file: string): Problem[] {
  const lineOf = (field: string): number => lineAt(text, locate(text, [field]) ?? 0);
  const problems = TOP_RULES.flatMap((rule): Problem[] => {
    const found = judgeField(rule, value[rule.field]);
    return found ? [error(ruleName(rule, value), file, lineOf(rule.field), found.message, found.fix)] : [];
  });
  const version = value['version'];
  if (typeof version === 'number' && version > TASKS_VERSION) {
    const message = `the file has version ${version}; this ralph reads version ${TASKS_VERSION}`;
    problems.push(error('schema/version', file, lineOf('version'), message, 'Use the newer ralph that wrote it.'));
  }
  return problems;
}

interface Place {
  readonly index: number;
  readonly line: number;
  readonly start: number;
  readonly text: string;
  readonly file: string;
}

/** A story with its valid fields; the defaults stand in for those that are missing, empty or wrong. Adds to `problems`. */
function readStory(fields: Fields, { index, line, start, text, file }: Place, problems: Problem[]): Story {
  const id = stringOr(fields['id'], '');
  const story: Record<string, unknown> = { ...blankStory(id, '', line), priority: index + 1 };
  const lineOf = (name: string) => lineAt(text, childAt(children(text, start), name)?.from ?? start);
  for (const rule of STORY_RULES) {
    const { field } = rule;
    const value = fields[field];
    const found = judgeField(rule, value);
    if (found !== null) {
      const message = `${id || `story ${index + 1}`}: ${found.message}`;
      problems.push(error(ruleName(rule, fields), file, lineOf(field), message, found.fix, id || undefined));
    } else if (value !== undefined && value !== null && !(field === 'blocked' && value === '')) story[field] = value;
  }
  for (const name in fields) {
    const near = KNOWN.has(name) ? null : misspelled(name, fields);
    if (near === null) continue;
    const message = `${id || 'a story'}: the field "${name}" is ignored`;
    problems.push(
      warning('schema/unknown-field', file, lineOf(name), message, `Did you mean "${near}"?`, id || undefined),
    );
  }
  return story as unknown as Story;
}

const KNOWN: ReadonlySet<string> = new Set(STORY_FIELDS);

/** Unknown fields are kept and ignored; one that is nearly the name of a field that the story lacks is a typing error. */
function misspelled(name: string, fields: Fields): string | null {
  const plain = name.replace(/[_-]/g, '');
  return plain.length < SHORTEST_NAME
    ? null
    : nearest(
        plain,
        STORY_FIELDS.filter((field) => fields[field] === undefined),
      );
}

/** Fields of a person's own are short words, such as `path` or `note`. */
const SHORTEST_NAME = 5;

function ruleName(rule: FieldRule, fields: Fields): string {
  return fields[rule.field] === undefined ? 'schema/required' : 'schema/type';
}

function stringOr<T>(value: unknown, fallback: T): string | T {
  return typeof value === 'string' ? value : fallback;
}

function strings(value: unknown): readonly string[] {
  if (!Array.isArray(value)) return NONE;
  return value.every((entry) => typeof entry === 'string') ? value : NONE;
}

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

/** The native file without one story; every other byte stays. */
export function removeFromTasks(text: string, index: number): string {
  const start = locate(text, ['userStories']) ?? 0;
  const end = skipValue(text, start);
  return text.slice(0, start) + removeChild(text.slice(start, end), index) + text.slice(end);
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
  const whole: Fields = { ...blankStory(story.id, story.title, 0), ...story, priority };
  return STORY_FIELDS.flatMap((field) => (whole[field] === undefined ? [] : [[field, whole[field] as Value]]));
}
