import { setTimeout as wait } from 'node:timers/promises';
import { GitRefusal } from '../../contracts/index.ts';
import { copyWithTime, crashpoint, createOnce, exists, makeDir, move, remove, stat } from '../../platform/index.ts';
import { headNow, isForeignLock, LOCK_TEXT, looseHead, unlocking } from './head.ts';
import { rememberCommit } from './history.ts';
import { changeIndex } from './index-file.ts';
import { pathList, type RawChange } from './lists.ts';
import { diffTrees } from './objects.ts';
import type { ApplyOutcome, Checkpoint } from './port.ts';
import { OPERATION_FILES, sh } from './prelude.ts';
import { askGit, gitError, type Prepared, type Room, runGit, runScript, tryGit } from './room.ts';
import { markIndexKnown } from './shadow.ts';

/**
 * Begins to make the user's index with a commit applied: the checkpoint's copy, with the changed paths as the commit
 * has them. Null where only the script that applies commits can make it.
 */
export function prepareIndex(
  room: Room,
  checkpoint: Checkpoint,
  parent: string,
  raw: readonly RawChange[],
): Prepared['index'] {
  const from = checkpoint.index;
  if (from === null || parent !== checkpoint.head) return null;
  const make = async () => {
    const index = preparedIndex(room);
    await remove(`${index}.lock`);
    if (!(await copyWithTime(from, index))) return false;
    await changeIndex(room, index, raw);
    return true;
  };
  // One after the other: they all write the same file. A caller that does not need the result does not wait.
  const before = room.memory.prepared?.index?.made ?? Promise.resolve(false);
  return { from, made: before.then(make).catch(() => false) };
}

/** The file that {@link prepareIndex} makes. */
function preparedIndex(room: Room): string {
  return `${room.work}/apply.index`;
}

interface Applying {
  readonly checkpoint: Checkpoint;
  readonly commit: string;
  readonly agentHead: string;
}

export async function applyCommit(room: Room, input: Applying): Promise<ApplyOutcome> {
  const { checkpoint, commit } = input;
  const last = room.memory.prepared;
  const isIndexMade = (await last?.index?.made) ?? false;
  room.memory.prepared = null;
  const known = last?.commit === commit ? last : null;
  const ready = isIndexMade && known?.index?.from === checkpoint.index ? preparedIndex(room) : null;
  await makeDir(room.work);
  crashpoint('git-before-apply');
  const outcome = await apply(room, input, ready);
  if (known && outcome !== 'moved-by-someone') rememberCommit(room, known);
  return outcome;
}

/** @param ready the index with the commit applied, made from the checkpoint's copy; null when it must be made here */
async function apply(room: Room, input: Applying, ready: string | null): Promise<ApplyOutcome> {
  if (input.checkpoint.sealed) return applyBeside(room, input, ready);
  if (ready !== null && (await applyPrepared(room, input, ready))) return 'applied';
  return applyAfresh(room, input);
}

/** Applies it from the checkpoint's copy of the index: after a crash, and where HEAD has moved. */
async function applyAfresh(room: Room, { checkpoint, commit, agentHead }: Applying): Promise<ApplyOutcome> {
  const { branch, head, index } = checkpoint;
  const [on, now] = await Promise.all([headNow(room), askGit(room, ['rev-parse', '-q', '--verify', branch ?? 'HEAD'])]);
  if (now === commit) return 'already';
  if (now !== null && now !== head && now !== agentHead) return 'moved-by-someone';
  const next = `${room.work}/user.index`;
  if (index !== null) {
    await runScript(room, 'take the saved index', TAKE_INDEX, [index, head]);
    await changeIndex(room, next, await diffTrees(room, head, commit));
  }
  await clearOperations(room);
  if (branch !== null && on.branch !== branch)
    await runGit(room, 'go back to the branch', ['symbolic-ref', '-m', BACK, 'HEAD', branch]);
  // The ref comes last: a loop killed before that finds the old value and does it all again.
  const moved = await moveWithIndex(room, { branch, head: now ?? '' }, commit, index === null ? null : next);
  if (moved.exitCode !== 0) throw gitError(room, 'move the branch', moved);
  await markIndexKnown(room);
  return 'applied';
}

const BACK = 'ralph: back to the branch of the run';

async function clearOperations({ repo }: Room): Promise<void> {
  await Promise.all(OPERATION_FILES.map((name) => remove(`${repo.gitDir}/${name}`)));
}

/**
 * Puts the prepared index in place and moves the branch, if HEAD is where the checkpoint found it.
 * @returns false when that is not certain; anything done by then {@link applyAfresh} does again
 */
async function applyPrepared(room: Room, { checkpoint, commit }: Applying, ready: string): Promise<boolean> {
  const now = await looseHead(room.repo);
  if (now === null || now.branch !== checkpoint.branch || now.commit !== checkpoint.head) return false;
  if (!(await exists(ready))) return false;
  await clearOperations(room);
  // A loop killed after this point finds the old branch, and does it all again from the checkpoint's copy.
  if ((await moveWithIndex(room, checkpoint, commit, ready)).exitCode !== 0) return false;
  await markIndexKnown(room);
  return true;
}

/**
 * Applies a commit in a git dir that belongs to the person who works beside an agent, by git's own rules between
 * processes: `index.lock` is held while the index changes, the branch moves only from where the checkpoint found it,
 * and changes that the person has staged since stay staged.
 */
async function applyBeside(room: Room, { checkpoint, commit }: Applying, ready: string | null): Promise<ApplyOutcome> {
  const now = await headNow(room);
  if (now.branch !== checkpoint.branch) return 'moved-by-someone';
  if (now.commit === commit) return 'already';
  if (now.commit !== checkpoint.head) return 'moved-by-someone';
  return withIndexLock(room, async () => {
    const index = `${room.repo.gitDir}/index`;
    const isAsItWas = checkpoint.index !== null && (await isSameFile(index, checkpoint.index));
    const next = isAsItWas && ready !== null ? ready : await indexBeside(room, checkpoint, commit, index);
    const { exitCode } = await moveWithIndex(room, checkpoint, commit, next);
    return exitCode === 0 ? 'applied' : 'moved-by-someone';
  });
}

/** The person's index with the changes of the commit that they have not staged differently; null without an index. */
async function indexBeside(room: Room, { head }: Checkpoint, commit: string, index: string): Promise<string | null> {
  const next = `${room.work}/beside.index`;
  if (!(await copyWithTime(index, next))) return null;
  const staged = await stagedPaths(room, head);
  const raw = await diffTrees(room, head, commit);
  await changeIndex(
    room,
    next,
    raw.filter(({ path }) => !staged.has(path)),
  );
  return next;
}

/** The checkpoint's copy keeps the time of the index, except for the precision that copying loses. */
async function isSameFile(index: string, copy: string): Promise<boolean> {
  const [one, other] = await Promise.all([stat(index), stat(copy)]);
  return one !== null && other !== null && one.size === other.size && Math.abs(one.mtimeMs - other.mtimeMs) < 0.01;
}

export async function stagedPaths(room: Room, head: string): Promise<ReadonlySet<string>> {
  const args = ['diff-index', '--cached', '-z', '--name-only', '--no-renames', '--ignore-submodules=none', head];
  return new Set(pathList(await runGit(room, 'read what is staged', args)));
}

/**
 * Puts an index in place (null: leaves it), then moves the branch, or a detached HEAD.
 * Fails when the branch is not where the checkpoint found it: a person moved it first, and what they staged is part of
 * their commit. Then the index is put back.
 */
async function moveWithIndex(
  room: Room,
  { branch, head }: Pick<Checkpoint, 'branch' | 'head'>,
  commit: string,
  next: string | null,
) {
  const [index, before] = [`${room.repo.gitDir}/index`, `${room.work}/before.index`];
  const hadIndex = next !== null && (await copyWithTime(index, before));
  if (next !== null) await move(next, index);
  const ref = branch === null ? ['--no-deref', '-m', 'ralph: commit', 'HEAD'] : ['-m', 'ralph: commit', branch];
  const result = await tryGit(room, ['update-ref', ...ref, commit, head]);
  if (result.exitCode === 0) await remove(before);
  else if (next !== null) await (hadIndex ? move(before, index) : remove(index));
  return result;
}

/** Git commands hold the lock for a moment each; a process that holds it longer is waiting for a person. */
const LOCK_TRIES = 100;
const LOCK_EVERY_MS = 100;

/** @throws GitRefusal when one of the person's git commands holds the lock for long */
async function withIndexLock<T>(room: Room, work: () => Promise<T>): Promise<T> {
  const path = `${room.repo.gitDir}/index.lock`;
  for (let tries = 1; !(await createOnce(path, LOCK_TEXT, 0o600, { fsync: false })); tries += 1) {
    if (!(await isForeignLock(path))) continue;
    if (tries >= LOCK_TRIES)
      throw new GitRefusal({
        what: 'the index is locked by another git',
        where: path,
        why: 'it may be working on what you staged',
        fix: [unlocking(path), 'then start ralph run again: it finishes what it began'],
      });
    await wait(LOCK_EVERY_MS);
  }
  try {
    return await work();
  } finally {
    await remove(path);
  }
}

/** $1: copy of the user's index, $2: commit that holds the staged content when the copy is gone. */
const TAKE_INDEX = sh`
take_saved_index "$1" "$2"
`;
