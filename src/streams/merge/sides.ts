import type { Git } from '../../adapters/git/port.ts';
import { GitRefusal, UsageError } from '../../contracts/errors.ts';
import type { MergeTarget } from './target.ts';

/** What is merged, and into what, as both are now. */
export interface Sides {
  readonly branch: string;
  /** Its commit. */
  readonly head: string;
  readonly into: string;
  /** The commit of that. */
  readonly base: string;
}

/** @throws GitRefusal, UsageError when one of the branches is not known, or both are the same */
export async function findSides(git: Git, target: MergeTarget, asked: string | undefined): Promise<Sides> {
  const { branch, stream } = target;
  // Where a stream came from is written down, or not known: another branch would be a guess.
  const into = asked ?? target.from ?? (target.worktree ? null : await git.defaultBranch());
  if (into === null) {
    throw new UsageError({
      what: 'nothing says which branch to merge into',
      where: `stream ${stream}`,
      mend: ['name it: --into BRANCH'],
    });
  }
  if (into === branch) {
    throw new UsageError({
      what: `${branch} cannot be merged into itself`,
      where: `stream ${stream}`,
      mend: ['name another branch: --into BRANCH', 'or give the stream a branch of its own: branchName in the backlog'],
    });
  }
  const head = (await commitOf(git, branch)) ?? (await fetched(git, branch));
  const base = await commitOf(git, into);
  if (head === null) throw noBranch(branch, '`ralph run` or `ralph stream start` makes it');
  if (base === null) throw noBranch(into, 'name another one: --into BRANCH');
  return { branch, head, into, base };
}

function commitOf(git: Git, branch: string): Promise<string | null> {
  return git.resolve(`refs/heads/${branch}`);
}

/** A branch that a fleet worked on may be known here only as the remote had it last. */
async function fetched(git: Git, branch: string): Promise<string | null> {
  for (const remote of await git.remotes()) {
    const commit = await git.resolve(`refs/remotes/${remote}/${branch}`);
    if (commit !== null) return commit;
  }
  return null;
}

function noBranch(branch: string, way: string): GitRefusal {
  return new GitRefusal({
    what: `there is no branch ${branch}`,
    mend: [way, '`git branch` lists those that are there'],
  });
}
