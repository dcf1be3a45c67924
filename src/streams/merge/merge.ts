import type { Git } from '../../adapters/git/index.ts';
import { acquireRunLock, ensureMarkerExcluded, loadOrThrow } from '../../adapters/workspace/index.ts';
import { type CheckResult, type Config, GitRefusal } from '../../contracts/index.ts';
import { loopFiles, specPaths } from '../../loop/index.ts';
import { crashpoint, systemClock, thisProcess } from '../../platform/index.ts';
import { type BacklogDocument, readReceipts } from '../../rules/backlog/index.ts';
import type { OpenRun } from '../set-up.ts';
import { cleanLine } from './clean.ts';
import { isMade, isThere, recordFinish } from './finished.ts';
import { refuseWhenStopped } from './queue.ts';
import { committedBacklog, refuseUnfinished, refuseUnsettled } from './refusals.ts';
import { backupRef, bringHome, findSides, type MergeTarget, mergeMessage, type Proposal, type Sides } from './sides.ts';
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
  readonly history: History;
  /** A merge commit even where a fast-forward is possible. */
  readonly noFastForward: boolean;
  readonly runChecks: boolean;
  /** Even when stories are not done. */
  readonly unfinished: boolean;
  /** Instead of a merge: pushes the commits as a branch of their own. */
  readonly proposal?: Proposal & { push(commit: string): Promise<void> };
  /** Only report what would happen; no checks. */
  readonly dryRun: boolean;
}

/** One commit for each story, one in all, both without ralph's files; or the branch as it is. */
export type History = 'stories' | 'squash' | 'as-is';

/** What the branch is to become; nothing of it is on a branch yet. */
interface Made {
  readonly how: 'fast-forward' | 'merge-commit' | 'clean';
  readonly commit: string;
  /** The new commits of a clean history, oldest first. */
  readonly made: readonly { readonly commit: string; readonly subject: string }[];
  /** What people should know of it: one sentence each. */
  readonly notes: readonly string[];
}

/** The ref that has the target's former commit, and the folder where the target is checked out; null: nowhere. */
interface Undo {
  readonly ref: string;
  readonly root: string | null;
}

type MergeOutcome =
  | (Made & { readonly kind: 'merged'; readonly checks: readonly CheckResult[]; readonly undo: Undo })
  | (Made & { readonly kind: 'proposed'; readonly checks: readonly CheckResult[] })
  | (Made & { readonly kind: 'would-merge' })
  /** `undo`: where the last merge there, which may have been killed before it said so, can be undone. */
  | { readonly kind: 'already'; readonly undo?: Undo | undefined }
  | Conflict
  /** Checks fail on the merged tree. `redBefore`: those that also fail without the merge. */
  | { readonly kind: 'red'; readonly checks: readonly CheckResult[]; readonly redBefore: readonly string[] }
  /** Ready to be merged, and left because another repository is not. */
  | { readonly kind: 'held' }
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
    what: 'the branch moves too often to be merged into',
    why: `it moved during each of ${MOST_TRIES} checks of the merge; nothing was merged`,
    fix: ['try again later'],
  });
}

async function mergeOnce(input: MergeInput): Promise<Merge | 'moved'> {
  const ready = await prepareMerge(input);
  if ('outcome' in ready) return ready;
  const { git, target, proposal } = input;
  const { sides, made, checks, as } = ready;
  if (proposal) {
    await recordFinish(git, { ...sides, branch: proposal.name }, made.commit, systemClock.now());
    await proposal.push(made.commit);
    return as({ kind: 'proposed', ...made, checks });
  }
  await recordMerge(ready);
  const advanced = await advance(git, sides, made.commit, target.stream);
  switch (advanced.kind) {
    case 'moved-by-someone':
      return 'moved';
    case 'in-the-way':
      return as(advanced);
    default:
      return mergedOf(ready, await bringHome(git, target, ready.document, sides.head));
  }
}

/** A merge that is made and checked; the branch has not moved. */
export interface ReadyMerge {
  readonly input: MergeInput;
  readonly sides: Sides;
  readonly made: Made;
  /** The backlog of the branch. */
  readonly document: BacklogDocument;
  readonly checks: readonly CheckResult[];
  readonly as: (outcome: MergeOutcome) => Merge;
}

/** All that comes before the branch moves; a result where it is not to move. @throws as `mergeStream` */
export async function prepareMerge(input: MergeInput): Promise<Merge | ReadyMerge> {
  const { git, target, env, dryRun, proposal } = input;
  const sides = proposal?.sides ?? (await findSides(git, target, input.into));
  const { head, base } = sides;
  const { count } = await git.commitsBetween(base, head, 0);
  const as = (outcome: MergeOutcome): Merge => ({
    ...sides,
    stream: target.stream,
    worktree: target.worktree,
    commits: count,
    outcome,
  });
  const own = [...specPaths(target.workspace), ARCHIVES];
  const exempt = input.history === 'as-is' ? [] : own;
  if (await isThere(git, sides)) {
    // One that was killed after that may have left its lock.
    if (!dryRun && !proposal) await git.advanceBranch({ branch: sides.into, expected: base, to: base });
    const isKept = (await isMade(git, sides)) && (await git.resolve(backupRef(sides.into))) !== null;
    return as({ kind: 'already', undo: isKept ? await undoOf(git, sides) : undefined });
  }
  await refuseUnsettled(git, sides, env, exempt);
  const { document: here } = await loadOrThrow(target.workspace);
  const document = await committedBacklog(git, here, head, target.stream);
  if (!input.unfinished) refuseUnfinished(document, target);

  const made = await makeCommit(input, sides, { commits: count, document, own });
  if ('kind' in made) return as(made);
  const { commit } = made;
  // Before the checks: they may take long.
  const inTheWay = proposal ? null : await git.filesInTheWay({ branch: sides.into, expected: base, to: commit });
  if (inTheWay !== null) return as({ kind: 'in-the-way', ...inTheWay });
  if (dryRun) return as({ kind: 'would-merge', ...made });
  const { config, openRun, signal, tell } = input;
  const { workspace } = target;
  const backlog = input.history === 'as-is' ? null : document.backlog;
  const trial = { git, commit, base, workspace, backlog, config, env, openRun, signal, tell };
  const { checks, redBefore } = input.runChecks ? await tryOut(trial) : { checks: [], redBefore: [] };
  const known = config.requireGreen ? [] : redBefore.filter((command) => isKnownRed(document, command));
  if (checks.some(({ ok, command }) => !ok && !known.includes(command))) return as({ kind: 'red', checks, redBefore });
  refuseWhenStopped(signal);
  // The checks took time: the situation may have changed.
  await refuseUnsettled(git, sides, env, exempt);
  crashpoint('merge-checked');
  return { input, sides, made, document, checks, as };
}

/** It was red before the loop began, and never green in it: as there, it does not stand in the way. */
function isKnownRed({ reviewsText }: BacklogDocument, command: string): boolean {
  const told = readReceipts(reviewsText).flatMap(({ checks }) => checks.filter((check) => check.command === command));
  return told.length > 0 && told.every(({ ok, redAtBaseline }) => !ok && redAtBaseline);
}

/** Before the branch moves. */
export async function recordMerge({ input: { git, history }, sides, made }: ReadyMerge): Promise<void> {
  await git.keepRef(backupRef(sides.into), sides.base);
  await recordFinish(git, sides, made.commit, systemClock.now());
  // The target lacks the file that hides it.
  if (history !== 'as-is') await ensureMarkerExcluded(git.repo.commonDir, STATE_RULES);
}

/** @param notes what people should know besides: one sentence each */
export async function mergedOf(ready: ReadyMerge, notes: readonly string[] = []): Promise<Merge> {
  const { input, sides, made, checks, as } = ready;
  const undo = await undoOf(input.git, sides);
  return as({ kind: 'merged', ...made, notes: [...made.notes, ...notes], checks, undo });
}

async function undoOf(git: Git, { into }: Pick<Sides, 'into'>): Promise<Undo> {
  return { ref: backupRef(into), root: (await treeOn(git, into))?.root ?? null };
}

/** As `.ralph/.gitignore` has them on the working branch. */
const STATE_RULES = ['/.ralph/*', '!/.ralph/PRD-*/'];

/** Folder of archived loops, beside the spec folder. */
const ARCHIVES = 'ralph-archive';

/** The commit that the branch is to become: created, but on no branch yet. */
async function makeCommit(
  { git, target, config, history, noFastForward }: MergeInput,
  sides: Sides,
  {
    commits,
    document,
    own,
  }: { readonly commits: number; readonly document: BacklogDocument; readonly own: readonly string[] },
): Promise<Made | Conflict | { readonly kind: 'already' }> {
  const { head, base } = sides;
  const asMerge = async (tree: string, side: string) => {
    const message = mergeMessage(target.stream, sides, commits);
    const date = systemClock.now();
    return git.commitTree({ tree, parents: [base, side], ...message, date, sign: config.commit.sign });
  };
  if (history !== 'as-is') {
    const line = await cleanLine({ git, sides, config, document, own, squash: history === 'squash' });
    if (line.kind === 'already') return line;
    if (line.kind === 'conflict') return conflictOf(git, target, sides, line.paths);
    const commit = noFastForward ? await asMerge(line.tree, line.commit) : line.commit;
    return { how: 'clean', commit, made: line.made, notes: line.notes };
  }
  const none = { made: [], notes: [] };
  if (!noFastForward && (await git.descends(head, base))) return { how: 'fast-forward', commit: head, ...none };
  const merged = await git.mergeTrees(base, head);
  if (merged.kind === 'conflict') return conflictOf(git, target, sides, merged.paths);
  return { how: 'merge-commit', commit: await asMerge(merged.tree, head), ...none };
}

async function conflictOf(
  git: Git,
  { workspace }: MergeTarget,
  { branch }: Sides,
  paths: readonly string[],
): Promise<Conflict> {
  const there = await treeOn(git, branch);
  const own = new Set(loopFiles(workspace));
  return { kind: 'conflict', paths, root: there?.root ?? null, backlog: paths.some((path) => own.has(path)) };
}

async function treeOn(git: Git, branch: string) {
  return (await git.worktrees()).find((tree) => tree.branch === branch && !tree.missing);
}

/** Briefly blocks new runs where the branch is checked out. */
export async function advance(
  git: Git,
  { into, base }: Pick<Sides, 'into' | 'base'>,
  commit: string,
  stream: string,
  back = false,
) {
  const there = await treeOn(git, into);
  const move = () => git.advanceBranch({ branch: into, expected: base, to: commit, ...(back ? { back } : {}) });
  if (there === undefined) return move();
  const lock = await acquireRunLock(`${there.gitDir}/ralph`, thisProcess(`ralph stream merge ${stream}`));
  try {
    return await move();
  } finally {
    await lock.release();
  }
}
