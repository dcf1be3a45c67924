import { type Git, openGit, type WorktreeEntry } from '../../adapters/git/index.ts';
import { CONFIG_FILES, runAtWork } from '../../adapters/workspace/index.ts';
import { GitRefusal, LockedError, type Story, UsageError } from '../../contracts/index.ts';
import { type BacklogDocument, loadBacklog, storyState } from '../../rules/backlog/index.ts';
import { listed } from '../names.ts';
import type { MergeTarget, Sides } from './sides.ts';
import { specSource } from './sides.ts';

/** Names that an error lists; the rest is only counted. */
const MOST_NAMES = 8;

/**
 * Refuses a merge that should not happen now: an active run on either branch, a user's unfinished merge or rebase,
 * uncommitted changes of the stream, apart from `exempt`.
 * @throws LockedError, GitRefusal
 */
export async function refuseUnsettled(
  git: Git,
  { branch, into }: Sides,
  env: Readonly<Record<string, string | undefined>>,
  exempt: readonly string[],
): Promise<void> {
  const trees = (await git.worktrees()).filter((tree) => !tree.missing);
  for (const tree of trees.filter((tree) => tree.branch === branch || tree.branch === into)) {
    await refuseRun(tree);
    const there = await openGit(tree.root, { env });
    await there.refuseOperationsUnderWay('a merge would interfere with it');
    if (tree.branch === branch) await refuseUncommitted(there, branch, [...CONFIG_FILES, ...exempt]);
  }
}

async function refuseRun({ root, gitDir, branch }: WorktreeEntry): Promise<void> {
  const run = await runAtWork(`${gitDir}/ralph`);
  if (run === null) return;
  throw new LockedError({
    what: `run ${run} is under way on ${branch}`,
    where: root,
    why: 'the branch still moves',
    fix: ['wait until it ends: `ralph status`', '`ralph stop` or `ralph stream stop` ends it after the iteration'],
  });
}

/** Settings are copied into a stream's work tree in the user's version, committed or not. */
async function refuseUncommitted(there: Git, branch: string, exempt: readonly string[]): Promise<void> {
  const { tracked } = await there.dirty(exempt);
  if (tracked.length === 0) return;
  throw new GitRefusal({
    what: `the work tree of ${branch} has uncommitted changes: ${listed(tracked, MOST_NAMES)}`,
    where: there.repo.root,
    why: 'they would be left out of the merge',
    fix: ['commit them there', 'or stash them: git stash'],
  });
}

/**
 * Refuses a stream whose stories are not all done.
 * @throws UsageError naming them, and the flag that merges anyway
 */
export function refuseUnfinished({ backlog }: BacklogDocument, { stream }: MergeTarget): void {
  if (backlog.format === 'prompt') return;
  const open = backlog.stories.filter((story) => !storyState(story).startsWith('done'));
  if (open.length === 0) return;
  throw new UsageError({
    what: `${open.length} of ${backlog.stories.length} stories of ${stream} are not done: ${listed(open.map(labelOf), MOST_NAMES)}`,
    fix: ['finish them: `ralph run` or `ralph stream start`', 'or merge what there is: --unfinished'],
  });
}

function labelOf(story: Story): string {
  return `${story.safeId} (${storyState(story)})`;
}

/**
 * A backlog as committed, or as kept where git ignores it: changes only in a work tree would be neither pushed nor
 * merged.
 * @throws UsageError when it does not exist, or cannot be read
 */
export async function committedBacklog(
  git: Git,
  { format, file, reviewsFile }: BacklogDocument,
  commit: string,
  stream: string,
): Promise<BacklogDocument> {
  const from = (await specSource(git, stream, { file }, commit))?.tree ?? commit;
  const [bytes, reviewsBytes] = await Promise.all([git.show(from, file), git.show(from, reviewsFile)]);
  const loaded = bytes === null ? null : loadBacklog({ format, file, bytes, reviewsFile, reviewsBytes });
  if (loaded?.document) return loaded.document;
  throw new UsageError({
    what: bytes === null ? `${file} is not on the branch` : `${file} cannot be read as it is on the branch`,
    where: commit.slice(0, 12),
    why: loaded?.problems[0]?.message ?? 'ralph reads the state of its stories there',
    fix: ['commit it there: `ralph run` does so at its start'],
  });
}
