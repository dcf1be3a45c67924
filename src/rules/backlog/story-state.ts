import type { Story, StoryRow, StoryState } from '../../contracts/model.ts';

/** Done comes first, as in selection: a story that was blocked and then done is done. */
export function storyState(story: Pick<Story, 'passes' | 'reviewStatus' | 'blocked'>): StoryState {
  if (story.passes && story.reviewStatus === 'approved') return 'done';
  if (story.passes && story.reviewStatus === null) return 'done, unreviewed';
  if (story.blocked !== undefined) return 'blocked';
  if (story.reviewStatus === 'needs_review') return 'needs review';
  return story.reviewStatus === 'changes_requested' ? 'changes requested' : 'to do';
}

/** A story as lists and boards show it. */
export function storyRow(story: Story): StoryRow {
  const { id, title, priority, dependsOn, reviewCount, blocked = null } = story;
  return { id, title, state: storyState(story), priority, dependsOn, reviewCount, blocked };
}
