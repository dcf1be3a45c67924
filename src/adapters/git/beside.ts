import { dirname } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { GitRefusal } from '../../contracts/index.ts';
import { chmod, copyWithTime, createOnce, exists, move, readText, remove, stat } from '../../platform/index.ts';
import { shellWord } from '../../rules/text/index.ts';
import { changeIndex } from './change-index.ts';
import { diffTrees, readTree, restoreTree } from './checkpoint.ts';
import { looseHead } from './head.ts';
import type { RawChange } from './lists.ts';
import type { ApplyOutcome, Checkpoint, PersonsTurn, Repo } from './port.ts';
import { line, OFFLINE, type Room, runGit, tryGit } from './room.ts';

/**
 * The git dir belongs to the person who works beside an agent. What the loop does there follows git's own rules between
 * processes: it holds `index.lock` while it changes the index, moves a ref only from the value it saw, and does not
 * touch anything that has changed since.
 */

/** Content of our lock of the index, so that a lock whose owner was killed can be distinguished from git's own. */
const LOCK_TEXT = 'ralph\n';
const LOCKS = ['index.lock', 'HEAD.lock'];
/** Git commands hold the lock for a moment each; a process that holds it longer is waiting for a person. */
const LOCK_TRIES = 100;
const LOCK_EVERY_MS = 100;

export async function personsTurn(
  room: Room,
  checkpoint: Checkpoint | null,
  also: readonly string[],
): Promise<PersonsTurn | null> {
  if (checkpoint === null || checkpoint.sealed) {
    const operation = await operationIn(room.repo.gitDir);
    if (operation !== null || checkpoint === null) return operation;
  }
  const now = await headNow(room);
  const isAgents = !checkpoint.sealed && now.commit === '';
  const isExpected = isAgents || now.commit === checkpoint.head || also.includes(now.commit);
  if (now.branch !== checkpoint.branch) return checkpoint.sealed ? { kind: 'switched', to: now.branch } : null;
  return isExpected ? null : { kind: 'moved', to: now.commit };
}

async function operationIn(gitDir: string): Promise<PersonsTurn | null> {
  for (const { file, name, ways } of OPERATIONS)
    if (await exists(`${gitDir}/${file}`)) return { kind: 'operation', name, file: `${gitDir}/${file}`, ways };
  for (const file of LOCKS) if (await isForeignLock(`${gitDir}/${file}`)) return lockTurn(`${gitDir}/${file}`);
  return null;
}

function lockTurn(file: string): PersonsTurn {
  const ways = [`when no git is at work there: rm ${shellWord(file)}`];
  return { kind: 'operation', name: 'git command', file, ways };
}

/** A lock that a killed loop left is removed: this process holds the lock of the run, so the lock's owner is gone. */
async function isForeignLock(path: string): Promise<boolean> {
  if ((await stat(path)) === null) return false;
  if ((await readText(path).catch(() => null)) !== LOCK_TEXT) return true;
  await remove(path);
  return false;
}

async function headNow(room: Room): Promise<{ readonly commit: string; readonly branch: string | null }> {
  const loose = await looseHead(room.repo);
  if (loose !== null) return loose;
  const [branch, commit] = await Promise.all([
    tryGit(room, ['symbolic-ref', '-q', 'HEAD']),
    tryGit(room, ['rev-parse', '-q', '--verify', 'HEAD^{commit}']),
  ]);
  return { branch: line(branch.stdout) || null, commit: line(commit.stdout) };
}

/**
 * Applies a commit beside a person: the branch moves only from where the checkpoint found it, and changes the person
 * has staged since stay staged.
 * @param ready the index with the commit applied, made from the checkpoint's copy; null when it must be made here
 */
export async function applyBeside(
  room: Room,
  checkpoint: Checkpoint,
  commit: string,
  ready: string | null,
): Promise<ApplyOutcome> {
  const now = await headNow(room);
  if (now.branch !== checkpoint.branch) return 'moved-by-someone';
  if (now.commit === commit) return 'already';
  if (now.commit !== checkpoint.head) return 'moved-by-someone';
  return withIndexLock(room, async () => {
    const index = `${room.repo.gitDir}/index`;
    const [before, next] = [`${room.work}/before.index`, `${room.work}/beside.index`];
    const isAsItWas = checkpoint.index !== null && (await isSameFile(index, checkpoint.index));
    const hasIndex = await copyWithTime(index, before);
    if (hasIndex) {
      if (isAsItWas && ready !== null) await move(ready, index);
      else {
        await copyWithTime(index, next);
        const raw = await diffTrees(room, checkpoint.head, commit);
        await changeIndex(room, next, await withoutStaged(room, checkpoint.head, raw));
        await move(next, index);
      }
    }
    if (await moveBranch(room, checkpoint, commit)) return 'applied';
    // The person moved the branch first: what they staged is part of what they committed.
    if (hasIndex) await move(before, index);
    return 'moved-by-someone';
  });
}

/** Moves the branch, or a detached HEAD, to a commit. False when it is not where the checkpoint found it. */
export async function moveBranch(room: Room, { branch, head }: Checkpoint, commit: string): Promise<boolean> {
  const ref = branch === null ? ['--no-deref', '-m', 'ralph: commit', 'HEAD'] : ['-m', 'ralph: commit', branch];
  return (await tryGit(room, ['update-ref', ...ref, commit, head])).exitCode === 0;
}

/** The checkpoint's copy keeps the time of the index, except for the precision that copying loses. */
async function isSameFile(index: string, copy: string): Promise<boolean> {
  const [one, other] = await Promise.all([stat(index), stat(copy)]);
  return one !== null && other !== null && one.size === other.size && Math.abs(one.mtimeMs - other.mtimeMs) < 0.01;
}

/** The changes whose path the person has not staged differently. */
async function withoutStaged(room: Room, head: string, raw: readonly RawChange[]): Promise<readonly RawChange[]> {
  const staged = await stagedPaths(room, head);
  return raw.filter(({ path }) => !staged.has(path));
}

async function stagedPaths(room: Room, head: string): Promise<ReadonlySet<string>> {
  const args = ['diff-index', '--cached', '-z', '--name-only', '--no-renames', '--ignore-submodules=none', head];
  const output = await runGit(room, 'read what is staged', args);
  return new Set(output.toString('utf8').split('\0'));
}

/** @throws GitRefusal when one of the person's git commands holds the lock for long */
async function withIndexLock<T>(room: Room, work: () => Promise<T>): Promise<T> {
  const path = `${room.repo.gitDir}/index.lock`;
  for (let tries = 1; !(await createOnce(path, LOCK_TEXT, 0o600, { fsync: false })); tries += 1) {
    if (!(await isForeignLock(path))) continue;
    if (tries >= LOCK_TRIES) throw lockRefusal(path);
    await wait(LOCK_EVERY_MS);
  }
  try {
    return await work();
  } finally {
    await remove(path);
  }
}

function lockRefusal(path: string): GitRefusal {
  return new GitRefusal({
    what: 'the index is locked by another git',
    where: path,
    why: 'it may be at work on what you staged',
    mend: [
      `when no git is at work there: rm ${shellWord(path)}`,
      'then start ralph run again: it finishes what it had begun',
    ],
  });
}

export async function takeOut(room: Room, checkpoint: Checkpoint, left: string): Promise<void> {
  const head = (await headNow(room)).commit || checkpoint.head;
  const now = await readTree(room);
  const undoing = await diffTrees(room, left, checkpoint.tree);
  const since = new Set((await diffTrees(room, left, now)).map(({ path }) => path));
  const theirs = new Map((await diffTrees(room, checkpoint.head, head)).map((change) => [change.path, change]));
  const staged = await stagedPaths(room, head);
  const wanted = undoing.filter(({ path }) => !since.has(path) && !staged.has(path));
  await changeTree(
    room,
    now,
    wanted.map((change) => theirs.get(change.path) ?? change),
  );
}

export async function putBack(
  room: Room,
  checkpoint: Checkpoint,
  paths: readonly string[],
): Promise<readonly string[]> {
  const chosen = new Set(paths);
  const now = await readTree(room);
  const missing = (await diffTrees(room, now, checkpoint.tree)).filter(({ path }) => chosen.has(path));
  const inTheWay = await Promise.all(missing.map(({ path }) => isTaken(room.repo.root, path)));
  const wanted = missing.filter((_, at) => !inTheWay[at]);
  await changeTree(room, now, wanted);
  const modes = new Map(checkpoint.modes);
  for (const { path } of wanted) {
    const mode = modes.get(path);
    if (mode !== undefined) await chmod(`${room.repo.root}/${path}`, mode);
  }
  const kept = new Set(missing.filter((_, at) => inTheWay[at]).map(({ path }) => path));
  return paths.filter((path) => !kept.has(path));
}

/** Whether the path exists, or a parent of it is not a folder. */
async function isTaken(root: string, path: string): Promise<boolean> {
  if ((await stat(`${root}/${path}`)) !== null) return true;
  for (let folder = dirname(path); folder !== '.'; folder = dirname(folder)) {
    const found = await stat(`${root}/${folder}`);
    if (found !== null) return found.kind !== 'dir';
  }
  return false;
}

/** Takes the work tree from one tree to that tree with these changes. */
async function changeTree(room: Room, now: string, changes: readonly RawChange[]): Promise<void> {
  if (changes.length === 0) return;
  const scratch = `${room.work}/beside.index`;
  await remove(scratch);
  const alone: Room = { ...room, env: { ...room.env, GIT_INDEX_FILE: scratch, ...OFFLINE } };
  await runGit(alone, 'read a tree', ['read-tree', now]);
  await changeIndex(room, scratch, changes);
  await restoreTree(room, line(await runGit(alone, 'write a tree', ['write-tree'])));
}

/** Operations that can be under way in a git dir, by the file that shows each. */
const OPERATIONS: readonly { readonly file: string; readonly name: string; readonly ways: readonly string[] }[] = [
  { file: 'MERGE_HEAD', name: 'merge', ways: ['git merge --continue', 'git merge --abort'] },
  { file: 'rebase-merge', name: 'rebase', ways: ['git rebase --continue', 'git rebase --abort'] },
  {
    file: 'rebase-apply',
    name: 'rebase (or git am)',
    ways: ['git rebase --continue', 'git rebase --abort', 'git am --abort'],
  },
  { file: 'CHERRY_PICK_HEAD', name: 'cherry-pick', ways: ['git cherry-pick --continue', 'git cherry-pick --abort'] },
  { file: 'REVERT_HEAD', name: 'revert', ways: ['git revert --continue', 'git revert --abort'] },
  { file: 'BISECT_LOG', name: 'bisect', ways: ['git bisect reset'] },
];

const ITERATIONS = 'an iteration becomes one commit, which would end it or be lost in it';

/** Throws {@link GitRefusal} while a merge, rebase, cherry-pick, revert or bisect is under way. */
export async function refuseOperationsUnderWay(repo: Repo, why = ITERATIONS): Promise<void> {
  for (const { file, name, ways } of OPERATIONS) {
    if (!(await exists(`${repo.gitDir}/${file}`))) continue;
    throw new GitRefusal({
      what: `a ${name} is under way in this work tree`,
      where: `${repo.gitDir}/${file}`,
      why,
      mend: ways,
    });
  }
}
