import type { Git } from '../../adapters/git/port.ts';
import { loadOrThrow } from '../../adapters/workspace/backlog/document.ts';
import type { Workspace } from '../../adapters/workspace/layout.ts';
import { readLedger } from '../../adapters/workspace/records/ledger.ts';
import { type MergeRequest, openMergeRequests } from '../../adapters/workspace/worktrees/merge-requests.ts';
import { GitRefusal, UsageError } from '../../contracts/errors.ts';
import { readReceipts } from '../../rules/backlog/reviews/reviews.ts';
import { collectEvidence } from '../../rules/evidence/collect.ts';
import { type PullRequestText, pullRequestText } from '../../rules/evidence/pull-request.ts';
import { committedBacklog } from '../../streams/merge/committed-backlog.ts';

const DIFF_LINES = 60;

/** A pull request that could be made. */
export interface Offer extends PullRequestText {
  readonly branch: string;
  readonly base: string;
  readonly remote: string;
  readonly stories: number;
  readonly done: number;
  readonly commits: number;
  /** What agents asked for, and it answers. */
  readonly requests: readonly MergeRequest[];
}

export interface OfferInput {
  readonly base: string | undefined;
  readonly remote: string;
}

/**
 * What the branch of a workspace has to offer, as it is committed there: what is not, would not be pushed either.
 * @throws GitRefusal, UsageError when there is nothing that could be merged
 */
export async function offerOf(git: Git, workspace: Workspace, input: OfferInput): Promise<Offer> {
  const { document: here } = await loadOrThrow(workspace);
  const branch = here.backlog.branchName || (await git.currentBranch());
  if (branch === null) throw detached();
  const { remote } = input;
  const base = input.base ?? (await git.defaultBranchOf(remote)) ?? (await git.defaultBranch());
  if (base === null || base === branch) throw noBase(branch, base);
  const ahead = await git.ahead(branch, base, remote);
  if (ahead === null) throw unknown(branch, base, remote);
  if (ahead.commits === 0) throw nothingNew(branch, base);

  const document = await committedBacklog(git, here, ahead.head);
  const [ledger, requests, diffStat] = await Promise.all([
    readLedger(git.repo.stateDir),
    openMergeRequests(git.repo.root, branch),
    git.diffStat(ahead.mergeBase, ahead.head, DIFF_LINES),
  ]);
  const evidence = collectEvidence(document.backlog, readReceipts(document.reviewsText), ledger);
  const { project } = document.backlog;
  const { commits } = ahead;
  return {
    ...pullRequestText({ project, branch, base, wishes: requests, diffStat, commits }, evidence),
    branch,
    base,
    remote,
    stories: evidence.stories.length,
    done: evidence.done,
    commits,
    requests,
  };
}

function detached(): GitRefusal {
  return new GitRefusal({
    what: 'no branch is checked out, and the backlog names none',
    mend: ['git switch to the branch of the loop', 'or name it: branchName in the backlog'],
  });
}

function noBase(branch: string, base: string | null): UsageError {
  return new UsageError({
    what: base === null ? 'nothing says which branch to merge into' : `${branch} cannot be merged into itself`,
    where: `branch ${branch}`,
    mend: ['name another one: --base BRANCH', 'or give the loop a branch of its own: branchName in the backlog'],
  });
}

function unknown(branch: string, base: string, remote: string): GitRefusal {
  return new GitRefusal({
    what: `${branch} and ${base} cannot be compared`,
    why: 'one of them is not known here, or they have no commit in common',
    mend: [`git fetch ${remote}`, 'git branch -a lists those that are known', 'name the base: --base BRANCH'],
  });
}

function nothingNew(branch: string, base: string): GitRefusal {
  return new GitRefusal({
    what: `${branch} has no commits that ${base} has not`,
    why: 'there is nothing to merge',
    mend: ['`ralph run` makes some', 'or compare it with another branch: --base BRANCH'],
  });
}
