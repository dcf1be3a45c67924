import type { Backlog, Story, Violation } from '../../contracts/index.ts';
import { STORY_FIELDS } from './formats/fields.ts';

/** A story that exists on both sides and differs in at least one field. */
export interface StoryChange {
  readonly id: string;
  readonly before: Story;
  readonly after: Story;
}

export interface BacklogDiff {
  readonly changed: readonly StoryChange[];
  readonly added: readonly Story[];
  readonly removed: readonly Story[];
}

/** Story fields that only the review cycle may change. */
export const REVIEW_FIELDS = ['passes', 'reviewStatus', 'reviewCount', 'reviewFeedback'] as const;

export function diffBacklogs(before: Backlog, after: Backlog): BacklogDiff {
  if (before.stories === after.stories) return { changed: [], added: [], removed: [] };
  const old = new Map(before.stories.map((story) => [story.id, story]));
  const kept = new Set(after.stories.map((story) => story.id));
  const changed: StoryChange[] = [];
  const added: Story[] = [];
  for (const story of after.stories) {
    const previous = old.get(story.id);
    if (previous === undefined) added.push(story);
    else if (previous !== story && STORY_FIELDS.some((field) => differs(previous[field], story[field]))) {
      changed.push({ id: story.id, before: previous, after: story });
    }
  }
  return { changed, added, removed: before.stories.filter((story) => !kept.has(story.id)) };
}

/** Whether two field values differ; lists are compared item by item. */
export function differs(a: unknown, b: unknown): boolean {
  if (!Array.isArray(a) || !Array.isArray(b)) return a !== b;
  return a.length !== b.length || a.some((item, i) => item !== b[i]);
}

/** Whether all old criteria are still there, first and in the same order. */
export function criteriaAppended({ before, after }: StoryChange): boolean {
  return !before.acceptanceCriteria.some((criterion, i) => after.acceptanceCriteria[i] !== criterion);
}

/** Whether the dependencies only grew, and only by new stories, which means that the story was split. */
export function isSplit({ before, after }: StoryChange, added: readonly Story[]): boolean {
  const fresh = new Set(added.map((story) => story.id));
  const grown = after.dependsOn.filter((id) => !before.dependsOn.includes(id));
  return before.dependsOn.every((id) => after.dependsOn.includes(id)) && grown.every((id) => fresh.has(id));
}

export function reviewFieldsDiffer({ before, after }: StoryChange): boolean {
  return REVIEW_FIELDS.some((field) => before[field] !== after[field]);
}

export interface Broken {
  readonly rule: string;
  readonly story?: string;
  readonly field?: string;
  readonly from?: unknown;
  readonly to?: unknown;
  /** What the agent should do instead; one sentence. */
  readonly instead: string;
}

/** A violation whose message names the story, the field, old → new (when something changed) and what to do instead. */
export function violation({ instead, ...facts }: Broken): Violation {
  const subject = [facts.story, facts.field].filter((part) => part !== undefined).join(' ');
  const moved = 'from' in facts || 'to' in facts;
  const head = moved ? `${subject} ${show(facts.from)} → ${show(facts.to)} is not allowed` : subject;
  return { ...facts, message: head === '' ? instead : `${head}: ${instead}` };
}

const SHOWN = 80;

function show(value: unknown): string {
  if (value === undefined) return '(absent)';
  const text = JSON.stringify(value) ?? String(value);
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;
}
