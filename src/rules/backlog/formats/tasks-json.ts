import type { Problem, ReviewStatus, Story } from '../../../contracts/model.ts';
import { safeStoryId } from '../ids.ts';
import { lineAt, linesAt } from '../lines.ts';
import { childAt, children, elementStarts, locate } from './json-scan.ts';
import type { Parsed } from './parsed.ts';
import { type FieldRule, judgeField, STORY_RULES, show, TOP_RULES } from './tasks-fields.ts';

/** The version of the native file that this code reads; files without a number are of this version. */
const TASKS_VERSION = 1;
const REVIEW_FIELDS = ['passes', 'reviewStatus', 'reviewCount'];

const NONE: readonly string[] = [];

type Fields = Record<string, unknown>;

/**
 * Whether a parsed file is meant to be native: it has `userStories`, and they have the loop's own fields (or there are
 * none yet, or they are no array and must be complained about). Anything else called `tasks.json` is a foreign form.
 */
export function isNative(value: unknown): boolean {
  if (!isFields(value) || !('userStories' in value)) return false;
  const stories = value['userStories'];
  if (!Array.isArray(stories) || stories.length === 0) return true;
  return stories.some((story) => !isFields(story) || REVIEW_FIELDS.some((field) => field in story));
}

/** Reads a native backlog and checks every field of it; missing optional fields have their defaults. */
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

/** Where the stories of a native file start. */
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

function isFields(value: unknown): value is Fields {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

function stringOr<T>(value: unknown, fallback: T): string | T {
  return typeof value === 'string' ? value : fallback;
}

function strings(value: unknown): readonly string[] {
  if (!Array.isArray(value)) return NONE;
  return value.every((entry) => typeof entry === 'string') ? value : NONE;
}
