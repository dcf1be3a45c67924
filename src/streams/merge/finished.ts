import type { Git } from '../../adapters/git/index.ts';
import type { Sides } from './sides.ts';

/** What the target was before the last merge into it, for undoing it. */
export const backupRef = (into: string): string => `refs/ralph/before-finish/${into}`;

const recordRef = (branch: string): string => `refs/ralph/finished/${branch}`;

/** The head of a branch when its work was last brought to another one as commits of its own, and the last of these. */
export async function finishedBefore(
  git: Pick<Git, 'resolve'>,
  branch: string,
): Promise<{ readonly head: string; readonly made: string } | null> {
  const [head, made] = await Promise.all([1, 2].map((parent) => git.resolve(`${recordRef(branch)}^${parent}`)));
  return head && made ? { head, made } : null;
}

/**
 * Before the target moves. The record counts only once the target contains the commits: without it, a later merge would
 * meet its own work as a stranger's.
 */
export async function recordFinish(git: Git, sides: Sides, commit: string, date: number): Promise<void> {
  const { branch, head, into, base } = sides;
  await git.keepRef(backupRef(into), base);
  if (await git.descends(commit, head)) return;
  const message = { subject: `${branch} as it is on ${into}`, body: '', trailers: [], sign: false };
  const tree = await git.treeFrom(commit, { tree: commit, paths: [], gone: [] });
  await git.keepRef(recordRef(branch), await git.commitTree({ tree, parents: [head, commit], ...message, date }));
}

/** Whether the target has all of the branch: its commits, or those that an earlier clean merge made of them. */
export async function isThere(
  git: Git,
  { head, base, branch }: Pick<Sides, 'head' | 'base' | 'branch'>,
): Promise<boolean> {
  if (await git.descends(base, head)) return true;
  const before = await finishedBefore(git, branch);
  return before !== null && before.head === head && (await git.descends(base, before.made));
}
