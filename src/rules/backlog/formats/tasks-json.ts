import type { Problem, ReviewStatus, Story } from '../../../contracts/index.ts';
import { nearest } from '../../text/index.ts';
import type { Parsed } from '../api.ts';
import { safeStoryId } from '../ids.ts';
import { childAt, children, elementStarts, locate } from './json-scan.ts';
import { type Fields, isFields } from './prd-names.ts';
import { lineAt, linesAt } from './text.ts';

/** The version of the native file that this code reads; files without a number are of this version. */
const TASKS_VERSION = 1;
const REVIEW_FIELDS = ['passes', 'reviewStatus', 'reviewCount'];

const NONE: readonly string[] = [];

/**
 * Whether a parsed file is meant to be native: it has `userStories`, and they have the loop's fields (or there are none
 * yet, or the value is no array and must be reported). Any other `tasks.json` is a foreign format.
 */
export function isNative(value: unknown): boolean {
  if (!isFields(value) || !('userStories' in value)) return false;
  const stories = value['userStories'];
  if (!Array.isArray(stories) || stories.length === 0) return true;
  return stories.some((story) => !isFields(story) || REVIEW_FIELDS.some((field) => field in story));
}

/** Reads a native backlog and checks every field of it; missing optional fields get their defaults. */
export function readTasks(value: Fields, text: string, file: string): Parsed {
  const problems: Problem[] = [];
  checkTop(value, text, file, problems);
  const raw = Array.isArray(value['userStories']) ? (value['userStories'] as unknown[]) : [];
  const starts = storyStarts(text, raw.length);
  const lines = linesAt(text, starts);
  const stories: Story[] = [];
  for (const [index, fields] of raw.entries()) {
    const line = lines[index] ?? 1;
    if (!isFields(fields)) {
      const message = `story ${index + 1} is ${show(fields)}, expected an object`;
      problems.push({
        severity: 'error',
        rule: 'schema/type',
        file,
        line,
        message,
        mend: 'Write it as {"id": …, "title": …}.',
      });
      continue;
    }
    checkStory(fields, { text, file, start: starts[index] ?? 0, number: index + 1 }, problems);
    stories.push(toStory(fields, index, line));
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

/** The start of each story in a native file. */
export function storyStarts(text: string, count: number): number[] {
  const list = count > 0 ? locate(text, ['userStories']) : null;
  return list === null ? [] : elementStarts(text, list, count);
}

function checkTop(value: Fields, text: string, file: string, problems: Problem[]): void {
  const lineOf = (field: string): number => lineAt(text, locate(text, [field]) ?? 0);
  for (const rule of TOP_RULES) {
    const found = judgeField(rule, value[rule.field]);
    if (found)
      problems.push({ severity: 'error', rule: ruleName(rule, value), file, line: lineOf(rule.field), ...found });
  }
  const version = value['version'];
  if (typeof version === 'number' && version > TASKS_VERSION) {
    const message = `the file is of version ${version}, this ralph reads version ${TASKS_VERSION}`;
    const mend = 'Use the newer ralph that wrote it.';
    problems.push({ severity: 'error', rule: 'schema/version', file, line: lineOf('version'), message, mend });
  }
}

interface StoryPlace {
  readonly text: string;
  readonly file: string;
  readonly start: number;
  readonly number: number;
}

function checkStory(fields: Fields, place: StoryPlace, problems: Problem[]): void {
  for (const rule of STORY_RULES) {
    const found = judgeField(rule, fields[rule.field]);
    if (!found) continue;
    const id = fields['id'];
    const name = typeof id === 'string' && id !== '' ? id : `story ${place.number}`;
    const field = childAt(children(place.text, place.start), rule.field);
    problems.push({
      severity: 'error',
      rule: ruleName(rule, fields),
      file: place.file,
      line: lineAt(place.text, field?.from ?? place.start),
      message: `${name}: ${found.message}`,
      mend: found.mend,
      ...(typeof id === 'string' ? { story: id } : {}),
    });
  }
}

function ruleName(rule: FieldRule, fields: Fields): string {
  return fields[rule.field] === undefined ? 'schema/required' : 'schema/type';
}

function toStory(fields: Fields, index: number, line: number): Story {
  const id = stringOr(fields['id'], '');
  const story: { -readonly [K in keyof Story]: Story[K] } = {
    id,
    safeId: safeStoryId(id),
    title: stringOr(fields['title'], ''),
    description: stringOr(fields['description'], ''),
    acceptanceCriteria: strings(fields['acceptanceCriteria']),
    priority: typeof fields['priority'] === 'number' ? fields['priority'] : index + 1,
    passes: fields['passes'] === true,
    reviewStatus: (fields['reviewStatus'] ?? null) as ReviewStatus,
    reviewCount: typeof fields['reviewCount'] === 'number' ? fields['reviewCount'] : 0,
    reviewFeedback: stringOr(fields['reviewFeedback'], ''),
    notes: stringOr(fields['notes'], ''),
    dependsOn: strings(fields['dependsOn']),
    line,
  };
  if (typeof fields['blocked'] === 'string' && fields['blocked'] !== '') story.blocked = fields['blocked'];
  if (typeof fields['model'] === 'string') story.model = fields['model'];
  if (Array.isArray(fields['verifyCommands'])) story.verifyCommands = strings(fields['verifyCommands']);
  if (Array.isArray(fields['paths'])) story.paths = strings(fields['paths']);
  if (Array.isArray(fields['labels'])) story.labels = strings(fields['labels']);
  const estimate = fields['estimate'];
  if (typeof estimate === 'string' || typeof estimate === 'number') story.estimate = estimate;
  return story;
}

function stringOr<T>(value: unknown, fallback: T): string | T {
  return typeof value === 'string' ? value : fallback;
}

function strings(value: unknown): readonly string[] {
  if (!Array.isArray(value)) return NONE;
  return value.every((entry) => typeof entry === 'string') ? value : NONE;
}

/** Fields of a story in the native file, in the order they are written. */
export const STORY_FIELDS = [
  'id',
  'title',
  'description',
  'acceptanceCriteria',
  'priority',
  'passes',
  'reviewStatus',
  'reviewCount',
  'reviewFeedback',
  'notes',
  'dependsOn',
  'model',
  'verifyCommands',
  'paths',
  'estimate',
  'labels',
  'blocked',
] as const;

const REVIEW_STATUSES: readonly ReviewStatus[] = [null, 'needs_review', 'changes_requested', 'approved'];

/** The rule for a field's value. `mend` says what to write instead. */
export interface FieldRule {
  readonly field: string;
  readonly required: boolean;
  readonly holds: (value: unknown) => boolean;
  readonly expected: string;
}

const text = (value: unknown): boolean => typeof value === 'string';
const textOrNull = (value: unknown): boolean => value === null || typeof value === 'string';
const texts = (value: unknown): boolean => Array.isArray(value) && value.every(text);
const words = (value: unknown): boolean => typeof value === 'string' && value.trim() !== '';

/** Schema of the top level of `tasks.json`. */
const TOP_RULES: readonly FieldRule[] = [
  { field: 'project', required: false, holds: textOrNull, expected: 'a string' },
  { field: 'branchName', required: false, holds: textOrNull, expected: 'a string' },
  { field: 'description', required: false, holds: text, expected: 'a string' },
  { field: 'verifyCommands', required: false, holds: texts, expected: 'an array of strings' },
  { field: 'userStories', required: true, holds: Array.isArray, expected: 'an array of stories' },
];

/** Schema of a story in `tasks.json`. A missing optional field gets its default. */
export const STORY_RULES: readonly FieldRule[] = [
  { field: 'id', required: true, holds: words, expected: 'a string that is not empty, such as "US-001"' },
  { field: 'title', required: true, holds: words, expected: 'a string that is not empty' },
  { field: 'description', required: false, holds: text, expected: 'a string' },
  { field: 'acceptanceCriteria', required: false, holds: texts, expected: 'an array of strings' },
  { field: 'priority', required: false, holds: (value) => typeof value === 'number', expected: 'a number, 1 first' },
  { field: 'passes', required: false, holds: (value) => typeof value === 'boolean', expected: 'true or false' },
  {
    field: 'reviewStatus',
    required: false,
    holds: (value) => REVIEW_STATUSES.includes(value as ReviewStatus),
    expected: 'null, "needs_review", "changes_requested" or "approved"',
  },
  {
    field: 'reviewCount',
    required: false,
    holds: (value) => Number.isSafeInteger(value) && (value as number) >= 0,
    expected: 'an integer of 0 or more',
  },
  { field: 'reviewFeedback', required: false, holds: text, expected: 'a string' },
  { field: 'notes', required: false, holds: text, expected: 'a string' },
  { field: 'dependsOn', required: false, holds: texts, expected: 'an array of story ids' },
  { field: 'model', required: false, holds: textOrNull, expected: 'a string' },
  { field: 'verifyCommands', required: false, holds: texts, expected: 'an array of strings' },
  { field: 'paths', required: false, holds: texts, expected: 'an array of strings' },
  {
    field: 'estimate',
    required: false,
    holds: (value) => text(value) || typeof value === 'number',
    expected: 'a string or a number',
  },
  { field: 'labels', required: false, holds: texts, expected: 'an array of strings' },
  { field: 'blocked', required: false, holds: textOrNull, expected: 'a string, the reason' },
];

/** One sentence on what is wrong with a field, and one on how to fix it; null when it is valid. */
export function judgeField(rule: FieldRule, value: unknown): { message: string; mend: string } | null {
  if (value === undefined) {
    if (!rule.required) return null;
    return { message: `"${rule.field}" is missing`, mend: `Add "${rule.field}": ${rule.expected}.` };
  }
  if (rule.holds(value)) return null;
  const hint = rule.field === 'reviewStatus' && typeof value === 'string' ? nearestStatus(value) : null;
  return {
    message: `"${rule.field}" is ${show(value)}, expected ${rule.expected}`,
    mend: hint ? `Did you mean "${hint}"?` : `Make "${rule.field}" ${rule.expected}.`,
  };
}

function nearestStatus(value: string): string | null {
  return nearest(
    value.replace(/[\s-]+/g, '_'),
    REVIEW_STATUSES.filter((status) => status !== null),
  );
}

/** A value for a message: short, on one line. */
function show(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? 'an empty array' : 'an array';
  if (value !== null && typeof value === 'object') return 'an object';
  const shown = JSON.stringify(value) ?? String(value);
  return shown.length > 40 ? `${shown.slice(0, 39)}…` : shown;
}
