import type { Git } from '../../adapters/git/index.ts';

interface Pair {
  /** The branch. */
  readonly head: string;
  /** The target. */
  readonly base: string;
}

const RECORDS = 'refs/ralph/finished/';

/** Whether the target has all of the branch: its commits, or those that an earlier clean merge made of them. */
export async function isThere(git: Git, sides: Pair): Promise<boolean> {
  return (await git.descends(sides.base, sides.head)) || (await finishedBefore(git, sides)) === sides.head;
}

/** Whether a clean merge made the commit that the target is at. */
export async function isMade(git: Git, { base }: Pick<Pair, 'base'>): Promise<boolean> {
  return (await git.parentsUnder(RECORDS)).some(([, made]) => made === base);
}

/** The branch that this one came from, where it has all of this one's work; else null. */
export async function finishedInto(git: Git, branch: string): Promise<string | null> {
  const into = (await git.startedFrom(branch)) ?? (await git.defaultBranch());
  if (into === null || into === branch) return null;
  const [head, base] = await Promise.all([branch, into].map((name) => git.resolve(`refs/heads/${name}`)));
  return head && base && (await isThere(git, { head, base })) ? into : null;
}

/**
 * The last commit of a branch whose work is on the target already, as commits of its own: since that one was brought
 * there, or a branch that this one began at. Null when there is none.
 */
export async function finishedBefore(git: Git, sides: Pair): Promise<string | null> {
  return (await lastFinish(git, sides))?.[0] ?? null;
}

/** With the commit that was made of it. */
async function lastFinish(git: Git, { head, base }: Pair): Promise<readonly [from: string, made: string] | null> {
  let latest: readonly [from: string, made: string] | null = null;
  const records = await git.parentsUnder(RECORDS);
  for (const [from, made] of records.flatMap((pair) => [pair, pair.slice(2)])) {
    if (from === undefined || made === undefined) continue;
    if (!(await git.descends(base, made)) || !(await git.descends(head, from))) continue;
    if (latest === null || (await git.descends(from, latest[0]))) latest = [from, made];
  }
  return latest;
}

interface Finish extends Pair {
  readonly branch: string;
  readonly into: string;
}

/**
 * Before the target moves. The record counts only once the target contains the commits, and has the earlier one until
 * then: without it, a later merge would meet its own work as a stranger's.
 */
export async function recordFinish(git: Git, finish: Finish, commit: string, date: number): Promise<void> {
  const { branch, head, into } = finish;
  if (await git.descends(commit, head)) return;
  const message = { subject: `${branch} as it is on ${into}`, body: '', trailers: [], sign: false };
  const tree = await git.treeFrom(commit, { tree: commit, paths: [], gone: [] });
  const parents = [head, commit, ...((await lastFinish(git, finish)) ?? [])];
  await git.keepRef(`${RECORDS}${branch}`, await git.commitTree({ tree, parents, ...message, date }));
}
