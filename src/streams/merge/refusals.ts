import { openGit } from '../../adapters/git/index.ts';
import type { Git } from '../../adapters/git/port.ts';
import type { WorktreeEntry } from '../../adapters/git/worktrees/port.ts';
import { loadOrThrow } from '../../adapters/workspace/backlog/document.ts';
import { CONFIG_FILES } from '../../adapters/workspace/config/config-file.ts';
import { GitRefusal, LockedError, UsageError } from '../../contracts/errors.ts';
import type { Story } from '../../contracts/model.ts';
import { lockHolder } from '../../platform/lock/lock.ts';
import { storyState } from '../../rules/backlog/story-state.ts';
import { shortLine } from '../../rules/printable.ts';
import { committedBacklog } from './committed-backlog.ts';
import type { Sides } from './sides.ts';
import type { MergeTarget } from './target.ts';

/** Names that an error lists; of the rest only how many there are. */
const MOST_NAMES = 8;

/** As commands name themselves in the lock; every other holder is a run. */
const COMMAND = /^ralph\b/;

/**
 * Refuses what had better not be merged now: a run at work on either branch, a merge or rebase of a person's under way,
 * changes of the stream that are not committed.
 * @throws LockedError, GitRefusal
 */
export async function refuseUnsettled(
  git: Git,
  { branch, into }: Sides,
  env: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  const trees = (await git.worktrees()).filter((tree) => !tree.missing);
  for (const tree of trees.filter((tree) => tree.branch === branch || tree.branch === into)) {
    await refuseRun(tree);
    const there = await openGit(tree.root, { env });
    await there.refuseOperationsUnderWay('what is half done there would be lost in the merge, or end it');
    if (tree.branch === branch) await refuseUncommitted(there, branch);
  }
}

async function refuseRun({ root, gitDir, branch }: WorktreeEntry): Promise<void> {
  const holder = await lockHolder(`${gitDir}/ralph/lock`);
  if (holder === null || COMMAND.test(holder.run)) return;
  throw new LockedError({
    what: `run ${holder.run} is under way on ${branch}`,
    where: root,
    why: 'the branch still moves',
    mend: ['wait for its end: `ralph status`', '`ralph stop` or `ralph stream stop` ends it after the iteration'],
  });
}

/** Settings are brought into a stream's work tree as the person has them, committed or not. */
async function refuseUncommitted(there: Git, branch: string): Promise<void> {
  const { tracked } = await there.dirty(CONFIG_FILES);
  if (tracked.length === 0) return;
  throw new GitRefusal({
    what: `the work tree of ${branch} has changes that are not committed: ${named(tracked)}`,
    where: there.repo.root,
    why: 'they would be left out of the merge',
    mend: ['commit them there', 'or put them aside: git stash'],
  });
}

/**
 * Refuses a stream whose stories are not all done.
 * @throws UsageError naming them, and the flag that merges all the same
 */
export async function refuseUnfinished(git: Git, { workspace, stream }: MergeTarget, { head }: Sides): Promise<void> {
  const { document: here } = await loadOrThrow(workspace);
  const { backlog } = await committedBacklog(git, here, head);
  if (backlog.format === 'prompt') return;
  const open = backlog.stories.filter((story) => !storyState(story).startsWith('done'));
  if (open.length === 0) return;
  throw new UsageError({
    what: `${open.length} of ${backlog.stories.length} stories of ${stream} are not done: ${named(open.map(labelOf))}`,
    mend: ['finish them: `ralph run` or `ralph stream start`', 'or merge what there is: --unfinished'],
  });
}

function labelOf(story: Story): string {
  return `${story.safeId} (${storyState(story)})`;
}

function named(names: readonly string[]): string {
  const shown = names.slice(0, MOST_NAMES).map((name) => shortLine(name));
  return names.length > MOST_NAMES ? `${shown.join(', ')} and ${names.length - MOST_NAMES} more` : shown.join(', ');
}
