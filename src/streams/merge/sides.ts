import type { Git } from '../../adapters/git/index.ts';
import { listStreams, type Workspace } from '../../adapters/workspace/index.ts';
import { GitRefusal, UsageError } from '../../contracts/index.ts';
import { shortLine } from '../../rules/text/index.ts';
import { streamBranch, streamName, workspaceOfStream } from '../tree.ts';

/** What is merged, and into what, in their current state. */
export interface Sides {
  readonly branch: string;
  readonly head: string;
  readonly into: string;
  readonly base: string;
}

/** Clean commits as a branch of their own at a remote; no branch here moves. */
export interface Proposal {
  readonly sides: Sides;
  /** Of the branch there. */
  readonly name: string;
  /** The branch that it is to be merged into there. */
  readonly target: string;
}

export const finishedName = (branch: string): string => `${branch}-finished`;

/** On top of the target as the remote has it, or of what an earlier proposal brought there. */
export async function proposalOf(
  git: Git,
  target: MergeTarget,
  asked: string | undefined,
  remote: string,
): Promise<Proposal> {
  const here = await findSides(git, target, asked);
  // Not the loop's own name: its branch here has other commits, and could no longer be pushed or pulled.
  const name = finishedName(here.branch);
  const tip = (branch: string) => git.resolve(`refs/remotes/${remote}/${branch}`);
  const [there, earlier] = await Promise.all([tip(here.into), tip(name)]);
  const on = (branch: string, base: string) => ({
    name,
    target: here.into,
    sides: { ...here, into: `${remote}/${branch}`, base },
  });
  if (earlier !== null && !(there !== null && (await git.descends(there, earlier)))) return on(name, earlier);
  return there === null ? { name, target: here.into, sides: here } : on(here.into, there);
}

/** @throws GitRefusal, UsageError when one of the branches is unknown, or both are the same */
export async function findSides(git: Git, target: MergeTarget, asked: string | undefined): Promise<Sides> {
  const { branch, stream } = target;
  // The origin of a stream is recorded, or unknown: another branch would be a guess.
  const origin = async () => (await git.startedFrom(branch)) ?? git.defaultBranch();
  const into = asked ?? target.from ?? (target.worktree ? null : await origin());
  if (into === null) {
    throw new UsageError({
      what: 'the branch to merge into is not known',
      where: `stream ${stream}`,
      fix: ['name it: --into BRANCH'],
    });
  }
  if (into === branch) {
    throw new UsageError({
      what: `${branch} cannot be merged into itself`,
      where: `stream ${stream}`,
      fix: ['name another branch: --into BRANCH', 'or give the stream a branch of its own: branchName in the backlog'],
    });
  }
  const head = (await commitOf(git, branch)) ?? (await fetched(git, branch));
  const base = await commitOf(git, into);
  if (head === null) throw noBranch(branch, '`ralph run` or `ralph stream start` creates it');
  if (base === null) throw noBranch(into, 'name another one: --into BRANCH');
  return { branch, head, into, base };
}

function commitOf(git: Git, branch: string): Promise<string | null> {
  return git.resolve(`refs/heads/${branch}`);
}

/** A branch that a fleet worked on may be known here only in its last fetched state. */
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
    fix: [way, '`git branch` lists the existing ones'],
  });
}

export interface MergeTarget {
  /** As people call it: `PRD-3`, or the name of the workspace. */
  readonly stream: string;
  readonly branch: string;
  /** The branch that it came from; null when it is unknown. */
  readonly from: string | null;
  readonly worktree: boolean;
  /** The location of its backlog, in any work tree. */
  readonly workspace: Workspace;
}

/**
 * The stream of that name (`PRD-3`), by its work tree; null when it has none. @throws UsageError when that has no spec
 * folder
 */
export async function streamTarget(git: Git, name: string): Promise<MergeTarget | null> {
  const trees = (await listStreams(git)).filter(({ file, missing }) => file !== null && !missing);
  const found = trees.find(({ file }) => file?.stream === name);
  if (!found?.file) return null;
  const { stream, branch, base, specDir } = found.file;
  return { stream, branch, from: base.branch, worktree: true, workspace: await workspaceOfStream(found.root, specDir) };
}

/** A workspace without its own work tree. @throws FileProblemsError for an unreadable backlog */
export async function workspaceTarget(workspace: Workspace): Promise<MergeTarget> {
  const branch = await streamBranch(workspace);
  return { stream: streamName(workspace), branch, from: null, worktree: false, workspace };
}

/** Message of a merge commit, in git's own words, with a trailer that names the stream. Pure. */
export function mergeMessage(stream: string, { branch, into, head }: Sides, commits: number) {
  const trailers: readonly (readonly [string, string])[] = [['Ralph-Merge', shortLine(stream)]];
  return {
    subject: `Merge branch '${shortLine(branch)}' into ${shortLine(into)}`,
    body: `${commits} ${commits === 1 ? 'commit' : 'commits'} up to ${head.slice(0, 12)}.`,
    trailers,
  };
}

/** What the target was before the last merge into it, for undoing it. */
export const backupRef = (into: string): string => `refs/ralph/before-finish/${into}`;

const RECORDS = 'refs/ralph/finished/';

/**
 * The last commit of a branch whose work is on the target already, as commits of its own: since that one was brought
 * there, or a branch that this one began at. Null when there is none.
 */
export async function finishedBefore(git: Git, { head, base }: Pick<Sides, 'head' | 'base'>): Promise<string | null> {
  let latest: string | null = null;
  for (const [from, made] of await git.parentsUnder(RECORDS)) {
    if (from === undefined || made === undefined) continue;
    if (!(await git.descends(base, made)) || !(await git.descends(head, from))) continue;
    if (latest === null || (await git.descends(from, latest))) latest = from;
  }
  return latest;
}

/**
 * Before the target moves. The record counts only once the target contains the commits: without it, a later merge would
 * meet its own work as a stranger's.
 */
export async function recordFinish(git: Git, sides: Sides, commit: string, date: number): Promise<void> {
  const { branch, head, into } = sides;
  if (await git.descends(commit, head)) return;
  const message = { subject: `${branch} as it is on ${into}`, body: '', trailers: [], sign: false };
  const tree = await git.treeFrom(commit, { tree: commit, paths: [], gone: [] });
  await git.keepRef(`${RECORDS}${branch}`, await git.commitTree({ tree, parents: [head, commit], ...message, date }));
}

/** Whether the target has all of the branch: its commits, or those that an earlier clean merge made of them. */
export async function isThere(git: Git, sides: Pick<Sides, 'head' | 'base'>): Promise<boolean> {
  return (await git.descends(sides.base, sides.head)) || (await finishedBefore(git, sides)) === sides.head;
}
