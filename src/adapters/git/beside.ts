import { dirname } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { GitRefusal } from '../../contracts/errors.ts';
import { createOnce } from '../../platform/files/atomic-file.ts';
import { copyWithTime } from '../../platform/files/copy-with-time.ts';
import { chmod, exists, move, readText, remove, stat } from '../../platform/files/files.ts';
import { shellWord } from '../../rules/shell-word.ts';
import { changeIndex } from './change-index.ts';
import { diffTrees, readTree, restoreTree } from './checkpoint.ts';
import type { RawChange } from './lists.ts';
import { looseHead } from './loose-head.ts';
import type { ApplyOutcome, Checkpoint, PersonsTurn } from './port.ts';
import { OPERATIONS } from './refusals.ts';
import { line, OFFLINE, type Room, runGit, tryGit } from './room.ts';

/**
 * The git dir belongs to the person who works beside an agent. What the loop does there goes by git's own rules between
 * processes: it holds `index.lock` while it changes the index, moves a ref only from the value it saw, and leaves alone
 * what is not as it was.
 */

/** What our lock of the index holds, so that one whose owner was killed can be told from git's own. */
const LOCK_TEXT = 'ralph\n';
const LOCKS = ['index.lock', 'HEAD.lock'];
/** Commands of git hold the lock for a moment each; whoever holds it longer waits for a person. */
const LOCK_TRIES = 100;
const LOCK_EVERY_MS = 100;

/** See `Git.personsTurn`. */
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

/** One that a killed loop left is removed: this process holds the lock of the run, so that its owner is gone. */
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
 * Applies a commit beside a person: the branch moves from where the checkpoint found it or not at all, and what they
 * staged meanwhile stays staged.
 * @param ready the index as it will be, made from the checkpoint's copy; null where it has to be made
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
    const ref =
      checkpoint.branch === null
        ? ['--no-deref', '-m', 'ralph: commit', 'HEAD']
        : ['-m', 'ralph: commit', checkpoint.branch];
    const moved = await tryGit(room, ['update-ref', ...ref, commit, checkpoint.head]);
    if (moved.exitCode === 0) return 'applied';
    // Somebody was quicker: what they staged goes with what they committed.
    if (hasIndex) await move(before, index);
    return 'moved-by-someone';
  });
}

/** The copy of the checkpoint keeps the time of the index, but for what a time loses on the way. */
async function isSameFile(index: string, copy: string): Promise<boolean> {
  const [one, other] = await Promise.all([stat(index), stat(copy)]);
  return one !== null && other !== null && one.size === other.size && Math.abs(one.mtimeMs - other.mtimeMs) < 0.01;
}

/** Those of the changes whose path a person has not staged in another way. */
async function withoutStaged(room: Room, head: string, raw: readonly RawChange[]): Promise<readonly RawChange[]> {
  const staged = await stagedPaths(room, head);
  return raw.filter(({ path }) => !staged.has(path));
}

async function stagedPaths(room: Room, head: string): Promise<ReadonlySet<string>> {
  const args = ['diff-index', '--cached', '-z', '--name-only', '--no-renames', '--ignore-submodules=none', head];
  const output = await runGit(room, 'read what is staged', args);
  return new Set(output.toString('utf8').split('\0'));
}

/** @throws GitRefusal where a git of the person's holds it for long */
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

/** See `Git.takeOut`. */
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

/** See `Git.putBack`. */
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

/** Something stands there, or in the place of a folder above. */
async function isTaken(root: string, path: string): Promise<boolean> {
  if ((await stat(`${root}/${path}`)) !== null) return true;
  for (let folder = dirname(path); folder !== '.'; folder = dirname(folder)) {
    const found = await stat(`${root}/${folder}`);
    if (found !== null) return found.kind !== 'dir';
  }
  return false;
}

/** Takes the work tree from one tree to the same with some changes. */
async function changeTree(room: Room, now: string, changes: readonly RawChange[]): Promise<void> {
  if (changes.length === 0) return;
  const scratch = `${room.work}/beside.index`;
  await remove(scratch);
  const alone: Room = { ...room, env: { ...room.env, GIT_INDEX_FILE: scratch, ...OFFLINE } };
  await runGit(alone, 'read a tree', ['read-tree', now]);
  await changeIndex(room, scratch, changes);
  await restoreTree(room, line(await runGit(alone, 'write a tree', ['write-tree'])));
}
