import type { ReviewStatus } from '../../../contracts/model.ts';
import { nearest } from '../../nearest.ts';

/** Fields of a story in the native file, in the order in which they are written. */
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

/** What a field must hold. `mend` tells what to write instead. */
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
export const TOP_RULES: readonly FieldRule[] = [
  { field: 'project', required: false, holds: textOrNull, expected: 'a string' },
  { field: 'branchName', required: false, holds: textOrNull, expected: 'a string' },
  { field: 'description', required: false, holds: text, expected: 'a string' },
  { field: 'verifyCommands', required: false, holds: texts, expected: 'an array of strings' },
  { field: 'userStories', required: true, holds: Array.isArray, expected: 'an array of stories' },
];

/** Schema of a story in `tasks.json`. A missing field that is not required has its default. */
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

/** One sentence on what is wrong with a field, and one on how to mend it; null when nothing is. */
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

/** A value as a message shows it: short, on one line. */
export function show(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? 'an empty array' : 'an array';
  if (value !== null && typeof value === 'object') return 'an object';
  const shown = JSON.stringify(value) ?? String(value);
  return shown.length > 40 ? `${shown.slice(0, 39)}…` : shown;
}
