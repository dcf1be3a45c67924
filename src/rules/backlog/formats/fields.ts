import type { ReviewStatus, Story } from '../../../contracts/index.ts';
import { nearest } from '../../text/index.ts';

const REVIEW_STATUSES: readonly ReviewStatus[] = [null, 'needs_review', 'changes_requested', 'approved'];

/** A field of a story's own, with a place in the native file. */
type StoryField = Exclude<keyof Story, 'safeId' | 'line'>;

export interface FieldRule<Field extends string = string> {
  readonly field: Field;
  readonly required: boolean;
  readonly holds: (value: unknown) => boolean;
  readonly expected: string;
}

const text = (value: unknown): boolean => typeof value === 'string';
const textOrNull = (value: unknown): boolean => value === null || typeof value === 'string';
const texts = (value: unknown): boolean => Array.isArray(value) && value.every(text);
const words = (value: unknown): boolean => typeof value === 'string' && value.trim() !== '';
const number = (value: unknown): boolean => typeof value === 'number';

/** Schema of the top level of `tasks.json`. */
export const TOP_RULES: readonly FieldRule[] = [
  optional('project', textOrNull, 'a string'),
  optional('branchName', textOrNull, 'a string'),
  optional('description', text, 'a string'),
  optional('verifyCommands', texts, 'an array of strings'),
  { field: 'userStories', required: true, holds: Array.isArray, expected: 'an array of stories' },
];

/** Schema of a story in `tasks.json`, in the order in which fields are written. */
export const STORY_RULES: readonly FieldRule<StoryField>[] = [
  { field: 'id', required: true, holds: words, expected: 'a string that is not empty, such as "US-001"' },
  { field: 'title', required: true, holds: words, expected: 'a string that is not empty' },
  optional('description', text, 'a string'),
  optional('acceptanceCriteria', texts, 'an array of strings'),
  optional('priority', number, 'a number, 1 first'),
  optional('passes', (value) => typeof value === 'boolean', 'true or false'),
  optional(
    'reviewStatus',
    (value) => REVIEW_STATUSES.includes(value as ReviewStatus),
    'null, "needs_review", "changes_requested" or "approved"',
  ),
  optional('reviewCount', (value) => Number.isSafeInteger(value) && (value as number) >= 0, 'an integer of 0 or more'),
  optional('reviewFeedback', text, 'a string'),
  optional('notes', text, 'a string'),
  optional('dependsOn', texts, 'an array of story ids'),
  optional('model', textOrNull, 'a string'),
  optional('verifyCommands', texts, 'an array of strings'),
  optional('paths', texts, 'an array of strings'),
  optional('estimate', (value) => text(value) || number(value), 'a string or a number'),
  optional('labels', texts, 'an array of strings'),
  optional('url', textOrNull, 'a string'),
  optional('repo', textOrNull, 'a string, the name of a folder'),
  optional('blocked', textOrNull, 'a string, the reason'),
];

function optional<Field extends string>(field: Field, holds: FieldRule['holds'], expected: string): FieldRule<Field> {
  return { field, required: false, holds, expected };
}

/** Fields of a story in the native file, in the order in which they are written. */
export const STORY_FIELDS = STORY_RULES.map(({ field }) => field);

/** One sentence on what is wrong with a field, and one on how to fix it; null when it is valid. */
export function judgeField(rule: FieldRule, value: unknown): { message: string; fix: string } | null {
  if (value === undefined) {
    if (!rule.required) return null;
    return { message: `"${rule.field}" is missing`, fix: `Add "${rule.field}": ${rule.expected}.` };
  }
  if (rule.holds(value)) return null;
  const hint = rule.field === 'reviewStatus' && typeof value === 'string' ? nearestStatus(value) : null;
  return {
    message: `"${rule.field}" is ${show(value)}, expected ${rule.expected}`,
    fix: hint ? `Did you mean "${hint}"?` : `Make "${rule.field}" ${rule.expected}.`,
  };
}

function nearestStatus(value: string): string | null {
  return nearest(
    value.replace(/[\s-]+/g, '_'),
    REVIEW_STATUSES.filter((status) => status !== null),
  );
}

export function show(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? 'an empty array' : 'an array';
  if (value !== null && typeof value === 'object') return 'an object';
  const shown = JSON.stringify(value) ?? String(value);
  return shown.length > 40 ? `${shown.slice(0, 39)}…` : shown;
}
