import type { Git, MergeOutcome } from '../../adapters/git/index.ts';
import { GitRefusal } from '../../contracts/index.ts';
import { isUnder } from '../../loop/index.ts';
import { finishedBefore, type Sides } from './sides.ts';

/** Trees of a branch as its target would have them: with ralph's own files as they are on the target. */
export interface Trees {
  /** The commit up to which the branch is on the target already, under other names; null: none. */
  readonly finished: string | null;
  isOwn(path: string): boolean;
  /** The tree of a commit, with ralph's files as on the target. */
  bare(commit: string): Promise<string>;
  /** Three such trees merged. */
  merge(base: string, ours: string, theirs: string): Promise<MergeOutcome>;
  /** Such a tree with what the target has beyond it; `commit`: where on the working branch it belongs. */
  onTarget(commit: string, tree: string): Promise<MergeOutcome>;
  /** Of the other parents of a person's merge, those that bring neither the target's commits nor ralph's files. */
  besides(parents: readonly string[]): Promise<readonly string[]>;
}

/** Date of commits that are never shown. */
const SOME_DAY = 1e12;

export async function treesOf(
  git: Git,
  { head, base: target, branch, into }: Sides,
  own: readonly string[],
): Promise<Trees> {
  const isOwn = (path: string) => isUnder(own, path);
  const ofTarget = (await git.paths(target)).filter(isOwn);
  const finished = await finishedBefore(git, { head, base: target });
  const known = new Map<string, Promise<string>>();
  const bare = (commit: string): Promise<string> => {
    const found = known.get(commit);
    if (found !== undefined) return found;
    const made = git
      .paths(commit)
      .then((paths) => git.treeFrom(commit, { tree: target, paths: ofTarget, gone: paths.filter(isOwn) }));
    known.set(commit, made);
    return made;
  };
  const blank = { subject: 'tree', body: '', trailers: [], date: SOME_DAY, sign: false };
  const merge = async (base: string, ours: string, theirs: string): Promise<MergeOutcome> => {
    if (base === theirs || ours === theirs) return { kind: 'merged', tree: ours };
    if (base === ours) return { kind: 'merged', tree: theirs };
    const start = await git.commitTree({ ...blank, tree: base, parents: [] });
    const sides = [ours, theirs].map((tree) => git.commitTree({ ...blank, tree, parents: [start] }));
    const [one = '', other = ''] = await Promise.all(sides);
    return git.mergeTrees(one, other);
  };
  const startOf = async (commit: string): Promise<string> => {
    const common = await git.mergeBase(target, commit);
    if (common === null) throw unrelated(branch, into);
    return finished !== null && (await git.descends(finished, common)) ? finished : common;
  };
  return {
    finished,
    isOwn,
    bare,
    merge,
    onTarget: async (commit, tree) => merge(await bare(await startOf(commit)), await bare(target), tree),
    besides: async (parents) => {
      const kept: string[] = [];
      for (const parent of parents) {
        const common = await git.mergeBase(target, parent);
        if (common === null || common === parent) continue;
        if (!(await git.changes(common, parent)).some(({ path }) => isOwn(path))) kept.push(parent);
      }
      return kept;
    },
  };
}

function unrelated(branch: string, into: string): GitRefusal {
  return new GitRefusal({
    what: `${branch} and ${into} have no commit in common`,
    fix: ['name another branch: --into BRANCH'],
  });
}
