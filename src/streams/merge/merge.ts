import type { Git } from '../../adapters/git/index.ts';
import { acquireRunLock } from '../../adapters/workspace/index.ts';
import { type CheckResult, type Config, GitRefusal } from '../../contracts/index.ts';
import { loopFiles } from '../../loop/index.ts';
import { crashpoint, systemClock, thisProcess } from '../../platform/index.ts';
import type { OpenRun } from '../set-up.ts';
import { refuseWhenStopped } from './queue.ts';
import { refuseUnfinished, refuseUnsettled } from './refusals.ts';
import { findSides, type MergeTarget, mergeMessage, type Sides } from './sides.ts';
import { removeTrial, tryOut } from './try-out.ts';

/** How often it starts over because the branch was moved meanwhile. */
const MOST_TRIES = 5;

export interface MergeInput {
  readonly git: Git;
  readonly target: MergeTarget;
  readonly config: Config;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly openRun: OpenRun;
  readonly signal: AbortSignal;
  /** Reports progress to people: one sentence. */
  readonly tell: (text: string) => void;
  /** Branch to merge into; default: the one the stream came from. */
  readonly into: string | undefined;
  /** A merge commit even where a fast-forward is possible. */
  readonly noFastForward: boolean;
  readonly runChecks: boolean;
  /** Even when stories are not done. */
  readonly unfinished: boolean;
  /** Only report what would happen; no checks. */
  readonly dryRun: boolean;
}

type How = 'fast-forward' | 'merge-commit';

type MergeOutcome =
  | { readonly kind: 'merged'; readonly how: How; readonly commit: string; readonly checks: readonly CheckResult[] }
  | { readonly kind: 'would-merge'; readonly how: How }
  | { readonly kind: 'already' }
  | Conflict
  /** Checks fail on the merged tree. `redBefore`: those that also fail without the merge. */
  | { readonly kind: 'red'; readonly checks: readonly CheckResult[]; readonly redBefore: readonly string[] }
  /** Uncommitted files in the target branch's work tree would be lost. */
  | { readonly kind: 'in-the-way'; readonly root: string; readonly paths: readonly string[] };

interface Conflict {
  readonly kind: 'conflict';
  readonly paths: readonly string[];
  /** Where the branch of the stream is checked out; null when it is not checked out. */
  readonly root: string | null;
  /** Files of the backlog itself are among them. */
  readonly backlog: boolean;
}

export interface Merge extends Sides {
  readonly stream: string;
  readonly worktree: boolean;
  /** How many commits the branch has that the other lacks. */
  readonly commits: number;
  readonly outcome: MergeOutcome;
}

/**
 * Merges a stream's branch into the one it came from: first in memory, then on trial in a separate work tree where the
 * checks run, and only then for good, in one step. If it fails or is killed, everything stays unchanged. Call it while
 * no other merge runs (`inTurn`).
 * @throws LockedError, GitRefusal, UsageError for a merge that should not happen now; StoppedError
 */
export async function mergeStream(input: MergeInput): Promise<Merge> {
  const { git, dryRun } = input;
  if (!dryRun) await removeTrial(git);
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    refuseWhenStopped(input.signal);
    const merge = await mergeOnce(input);
    if (merge !== 'moved') return merge;
    input.tell('the branch moved in the meantime: trying again on its new commit');
  }
  throw new GitRefusal({
    what: 'the branch moves faster than it can be merged into',
    why: `it moved during each of ${MOST_TRIES} checks of the merge; nothing was merged`,
    fix: ['try again later'],
  });
}

async function mergeOnce(input: MergeInput): Promise<Merge | 'moved'> {
  const { git, target, env, dryRun } = input;
  const sides = await findSides(git, target, input.into);
  const { head, base } = sides;
  const { count } = await git.commitsBetween(base, head, 0);
  const as = (outcome: MergeOutcome): Merge => ({
    ...sides,
    stream: target.stream,
    worktree: target.worktree,
    commits: count,
    outcome,
  });
  if (await git.descends(base, head)) return as({ kind: 'already' });
  await refuseUnsettled(git, sides, env);
  if (!input.unfinished) await refuseUnfinished(git, target, sides);

  const made = await makeCommit(input, sides, count);
  if ('kind' in made) return as(made);
  const { commit, how } = made;
  // Before the checks: they may take long.
  const inTheWay = await git.filesInTheWay({ branch: sides.into, expected: base, to: commit });
  if (inTheWay !== null) return as({ kind: 'in-the-way', ...inTheWay });
  if (dryRun) return as({ kind: 'would-merge', how });
  const { config, openRun, signal, tell } = input;
  const { specDir } = target.workspace;
  const trial = { git, commit, base, specDir, config, env, openRun, signal, tell };
  const { checks, redBefore } = input.runChecks ? await tryOut(trial) : { checks: [], redBefore: [] };
  if (checks.some(({ ok }) => !ok)) return as({ kind: 'red', checks, redBefore });
  refuseWhenStopped(signal);
  // The checks took time: the situation may have changed.
  await refuseUnsettled(git, sides, env);
  crashpoint('merge-checked');
  const advanced = await advance(git, sides, commit, target.stream);
  switch (advanced.kind) {
    case 'moved-by-someone':
      return 'moved';
    case 'in-the-way':
      return as(advanced);
    default:
      return as({ kind: 'merged', how, commit, checks });
  }
}

/** The commit that the branch is to become: created, but on no branch yet. */
async function makeCommit(
  { git, target, config, noFastForward }: MergeInput,
  sides: Sides,
  commits: number,
): Promise<{ readonly commit: string; readonly how: How } | Conflict> {
  const { head, base } = sides;
  if (!noFastForward && (await git.descends(head, base))) return { commit: head, how: 'fast-forward' };
  const merged = await git.mergeTrees(base, head);
  if (merged.kind === 'conflict') return conflictOf(git, target, sides, merged.paths);
  const commit = await git.commitTree({
    tree: merged.tree,
    parents: [base, head],
    ...mergeMessage(target.stream, sides, commits),
    date: systemClock.now(),
    sign: config.commit.sign,
  });
  return { commit, how: 'merge-commit' };
}

async function conflictOf(
  git: Git,
  { workspace }: MergeTarget,
  { branch }: Sides,
  paths: readonly string[],
): Promise<Conflict> {
  const there = (await git.worktrees()).find((tree) => tree.branch === branch && !tree.missing);
  const own = new Set(loopFiles(workspace));
  return { kind: 'conflict', paths, root: there?.root ?? null, backlog: paths.some((path) => own.has(path)) };
}

/** Briefly blocks new runs where the branch is checked out. */
async function advance(git: Git, { into, base }: Sides, commit: string, stream: string) {
  const there = (await git.worktrees()).find(({ branch, missing }) => branch === into && !missing);
  const move = () => git.advanceBranch({ branch: into, expected: base, to: commit });
  if (there === undefined) return move();
  const lock = await acquireRunLock(`${there.gitDir}/ralph`, thisProcess(`ralph stream merge ${stream}`));
  try {
    return await move();
  } finally {
    await lock.release();
  }
}
