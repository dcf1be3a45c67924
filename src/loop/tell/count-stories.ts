import type { Story } from '../../contracts/model.ts';
import { isDone } from '../../rules/backlog/select.ts';

export interface StoryCounts {
  readonly total: number;
  readonly done: number;
  readonly blocked: number;
}

/** Stories by state; a story that is done is not counted as blocked. */
export function countStories(stories: readonly Story[]): StoryCounts {
  const done = stories.filter((story) => isDone(story));
  const blocked = stories.filter((story) => story.blocked && !isDone(story));
  return { total: stories.length, done: done.length, blocked: blocked.length };
}
