import type { Git } from '../../adapters/git/port.ts';
import type { Story } from '../../contracts/model.ts';
import { isDone } from '../../rules/backlog/select.ts';
import type { Crew } from './crew.ts';
import type { LaneWork } from './lane-file.ts';

/** More commits than this are not looked through one by one. */
const MOST_COMMITS = 200;

/**
 * Whether what a lane holds can be merged as work on its story: the merge takes the difference from `work.base`, so that
 * both sides must build on it; else it would take back what landed since.
 * @param head what the lane made of the story
 * @returns why not, in a few words; null when it can
 */
export async function unsoundness(
  { context: { git }, branch }: Pick<Crew, 'context' | 'branch'>,
  { base }: LaneWork,
  head: string,
  story: Story | undefined,
): Promise<string | null> {
  if (story !== undefined && isDone(story)) return 'it is done on the branch';
  const there = await git.resolve(branch);
  if (there === null || !(await git.descends(there, base))) return `${branch} does not hold any more what it began on`;
  if (!(await git.descends(head, base))) return 'its commits do not build on what it began on';
  const others = story === undefined ? [] : await otherStories(git, base, head, story.safeId);
  return others.length === 0 ? null : `its commits are work on ${others.join(', ')}`;
}

/** Stories that commits of the loop in `base..head` say to be about, but for one. An agent's own commits say nothing. */
async function otherStories(git: Git, base: string, head: string, safeId: string): Promise<readonly string[]> {
  const { commits } = await git.commitsBetween(base, head, MOST_COMMITS);
  const views = await Promise.all(commits.map(({ id }) => git.commitView(id)));
  const told = views.flatMap((view) => [...(view?.body ?? '').matchAll(/^Ralph-Story: (.+)$/gm)].map(([, id]) => id));
  return [...new Set(told.filter((id) => id !== undefined && id !== safeId))] as string[];
}
