import type { Fields } from './prd-shape.ts';

/** Names under which the fields of a story go in the wild; the first one present counts. */
export const NAMES = {
  id: ['id', 'ID', 'storyId', 'story_id', 'taskId', 'task_id', 'key'],
  title: ['title', 'name', 'summary', 'story', 'task', 'feature', 'text'],
  description: ['description', 'desc', 'details', 'userStory', 'content', 'goal'],
  acceptanceCriteria: [
    'acceptanceCriteria',
    'acceptance_criteria',
    'acceptance',
    'criteria',
    'successCriteria',
    'success_criteria',
    'definitionOfDone',
    'doneWhen',
    'steps',
  ],
  dependsOn: ['dependsOn', 'depends_on', 'dependencies', 'deps', 'blockedBy', 'blocked_by', 'prerequisites'],
  priority: ['priority'],
  notes: ['notes', 'completionNotes', 'comments'],
} as const;

export type Role = keyof typeof NAMES;

/** The key that plays a role in a story; null when none does or all are empty. */
export function keyOf(fields: Fields, role: Role): string | null {
  const names: readonly string[] = NAMES[role];
  return names.find((name) => !isEmpty(fields[name])) ?? names.find((name) => name in fields) ?? null;
}

/** The title: one line, from the description where there is no other; null when there is neither. */
export function titleOf(fields: Fields): { readonly key: string; readonly title: string } | null {
  for (const role of ['title', 'description'] as const) {
    const key = keyOf(fields, role);
    const value = key === null ? null : fields[key];
    if (key !== null && typeof value === 'string' && value.trim() !== '') {
      return { key, title: value.trim().replace(/\s+/g, ' ') };
    }
  }
  return null;
}

/** A text field: strings as they are, lists joined by line. */
export function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return Array.isArray(value) ? value.map(lineOf).join('\n') : '';
}

/** Criteria from a list of strings, a list of objects, or one string with a criterion on each line. */
export function criteriaOf(value: unknown): string[] {
  if (typeof value === 'string') {
    const lines = value
      .split(/\r?\n/)
      .map((line) => line.replace(/^\s*(?:[-*+]|\d+[.)])\s+(?:\[[ xX]\]\s+)?/, '').trim());
    return lines.filter((line) => line !== '');
  }
  return Array.isArray(value) ? value.map(lineOf).filter((line) => line !== '') : [];
}

/** Ids of other stories, as text: lists of strings or numbers, or one string with commas; `none` and `-` are nothing. */
export function dependenciesOf(value: unknown): string[] {
  const all = Array.isArray(value) ? value : typeof value === 'string' ? value.split(',') : [value];
  const ids = all.flatMap((entry) =>
    typeof entry === 'string' || typeof entry === 'number' ? [String(entry).trim()] : [],
  );
  return ids.filter((id) => id !== '' && !/^(none|n\/a|-)$/i.test(id));
}

function lineOf(entry: unknown): string {
  if (typeof entry === 'string') return entry.trim();
  if (entry === null || typeof entry !== 'object') return String(entry);
  const fields = entry as Fields;
  const text = ['text', 'description', 'criterion', 'title', 'name']
    .map((key) => fields[key])
    .find((value) => typeof value === 'string');
  return typeof text === 'string' ? text.trim() : JSON.stringify(entry);
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0);
}
