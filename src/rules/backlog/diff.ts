import type { Backlog, Story } from '../../contracts/model.ts';

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

/** Fields of a story that only the review cycle moves. */
export const REVIEW_FIELDS = ['passes', 'reviewStatus', 'reviewCount', 'reviewFeedback'] as const;

/** Every field an agent could have touched; where the story stands in its file and its derived safe id are not among them. */
const COMPARED = [
  ...REVIEW_FIELDS,
  'title',
  'description',
  'acceptanceCriteria',
  'priority',
  'notes',
  'dependsOn',
  'blocked',
  'model',
  'verifyCommands',
  'paths',
  'estimate',
  'labels',
] as const satisfies readonly (keyof Story)[];

/** What differs between two versions of a backlog, matched by id. Linear. */
export function diffBacklogs(before: Backlog, after: Backlog): BacklogDiff {
  const old = new Map(before.stories.map((story) => [story.id, story]));
  const kept = new Set(after.stories.map((story) => story.id));
  const changed: StoryChange[] = [];
  const added: Story[] = [];
  for (const story of after.stories) {
    const previous = old.get(story.id);
    if (previous === undefined) added.push(story);
    else if (COMPARED.some((field) => differs(previous[field], story[field]))) {
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
