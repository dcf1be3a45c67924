import type { Story } from '../../contracts/index.ts';

/** What is known of the stories of a backlog that is for several repositories. */
interface Known {
  isDone(story: Story): boolean;
  /** Its repository has it. */
  isThere(story: Story): boolean;
}

/**
 * Of the stories that their repository does not have yet, those that it may have now: what they depend on is done, or
 * in the same repository, where the order is kept. Linear; ends on cycles, which a valid backlog does not have.
 */
export function startable(stories: readonly Story[], { isDone, isThere }: Known): readonly Story[] {
  const byId = new Map(stories.map((story) => [story.id, story]));
  const known = new Map<Story, boolean>();
  const mayBeThere = (story: Story): boolean => {
    const before = known.get(story);
    if (before !== undefined) return before;
    known.set(story, false);
    const may = isDone(story) || isThere(story) || story.dependsOn.every((id) => isMet(story, byId.get(id)));
    known.set(story, may);
    return may;
  };
  const isMet = (story: Story, needed: Story | undefined): boolean =>
    needed !== undefined && (isDone(needed) || (needed.repo === story.repo && mayBeThere(needed)));
  return stories.filter((story) => !isDone(story) && !isThere(story) && mayBeThere(story));
}
