import { basename, dirname } from 'node:path';
import { linkBack, namedGitDir, openOwnTree } from '../adapters/git/index.ts';
import type { Git } from '../adapters/git/port.ts';
import type { WorktreeEntry } from '../adapters/git/worktrees/port.ts';
import { readStreamFile, writeStreamFile } from '../adapters/workspace/worktrees/stream-file.ts';
import { RalphError } from '../contracts/errors.ts';
import { exists, list, makeDir, move, orNull, readText, realPath, remove, stat } from '../platform/files/files.ts';
import { supervised, supervisorOf } from './supervisor-lock.ts';

interface RepairInput {
  /** Of any other work tree. */
  readonly git: Git;
  /** Where the work tree of the stream belongs, absolute. */
  readonly root: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** What was found and done, for people: one sentence. */
  readonly tell: (text: string) => void;
}

/**
 * Puts the work tree of a stream in order: its folder may have been moved, deleted or replaced, and its git dir damaged.
 * What lies in its place is moved aside, never deleted; its ledger and its open run stay where git still has them.
 * @returns whether it is there; else it can be made
 */
export async function repairTree(input: RepairInput): Promise<boolean> {
  const { git, root, tell } = input;
  const entry = (await git.worktrees()).find((tree) => tree.root === root);
  if (entry !== undefined) {
    if (await isSound(entry)) return true;
    // Whoever is at work there is told by its own turn.
    const supervisor = await supervisorOf(`${entry.gitDir}/ralph`);
    if (supervisor !== null) throw supervised(basename(root), supervisor);
  }
  if (entry === undefined || !(await isUsable(entry))) {
    const aside = await moveAside(root);
    if (aside !== null) tell(`git does not know its worktree any more: it is made anew; what was there: ${aside}`);
    if (entry !== undefined) await forget(git, entry);
    return false;
  }
  const found = await stat(root);
  const moved = await movedTo(entry);
  if (found !== null && (found.kind !== 'dir' || (moved !== null && !(await isLinked(entry))))) {
    const aside = await moveAside(root);
    if (aside !== null) tell(`something lay in the place of its worktree; it is kept: ${aside}`);
    await remove(root);
  }
  if (!(await exists(root))) await bringBack(input, entry, moved);
  else if (!(await isLinked(entry))) tell('its worktree had lost its .git file, or had another one: it was put back');
  await openOwnTree(entry, { env: input.env });
  return true;
}

/** Gives what is at a path another name beside it. @returns that; null where nothing is */
export async function moveAside(root: string): Promise<string | null> {
  const found = await stat(root);
  if (found === null || (found.kind === 'dir' && (await list(root)).length === 0)) return null;
  const stamp = new Date().toISOString().replace(/\..*/, '').replaceAll(/[-:]/g, '').replace('T', '-');
  let aside = `${root}.kept-${stamp}`;
  for (let n = 2; await exists(aside); n += 1) aside = `${root}.kept-${stamp}-${n}`;
  await move(root, aside);
  // It is no work tree any more: git must not take its files for those of the one that comes.
  if (found.kind === 'dir' && (await stat(`${aside}/.git`))?.kind === 'file') await remove(`${aside}/.git`);
  return aside;
}

/** Lets git forget a work tree whose folder is not there, however damaged its git dir is. */
export async function forget(git: Git, { root, gitDir }: Pick<WorktreeEntry, 'root' | 'gitDir'>): Promise<void> {
  try {
    await git.removeWorktree(root);
  } catch (error) {
    if (!(error instanceof RalphError) || basename(dirname(gitDir)) !== 'worktrees') throw error;
    await remove(gitDir);
  }
}

/** Whether its git dir can be worked with; one that a crash left half made cannot. */
async function isUsable({ gitDir, head }: WorktreeEntry): Promise<boolean> {
  if (gitDir === '' || head === '' || !(await exists(`${gitDir}/HEAD`))) return false;
  return (await readText(`${gitDir}/locked`))?.trim() !== 'initializing';
}

async function isSound(entry: WorktreeEntry): Promise<boolean> {
  return (await isUsable(entry)) && (await stat(entry.root))?.kind === 'dir' && (await isLinked(entry));
}

async function isLinked({ root, gitDir }: WorktreeEntry): Promise<boolean> {
  const named = await namedGitDir(root);
  return named !== null && (await orNull(realPath(named))) === (await realPath(gitDir));
}

/** Where its folder is beside its place; null when it was not moved there. */
async function movedTo({ root, gitDir }: WorktreeEntry): Promise<string | null> {
  for (const name of await list(dirname(root))) {
    const path = `${dirname(root)}/${name}`;
    if (path !== root && (await stat(path))?.kind === 'dir' && (await namedGitDir(path)) === gitDir) return path;
  }
  return null;
}

/** From where it was moved to, else as its last commit has it. */
async function bringBack({ root, env, tell }: RepairInput, entry: WorktreeEntry, moved: string | null): Promise<void> {
  if (moved !== null) {
    await move(moved, root);
    tell(`its worktree was moved to ${moved}: it is back in its place`);
    return;
  }
  await makeDir(root);
  await linkBack(entry);
  const own = await openOwnTree(entry, { env });
  await own.resetTo(entry.head);
  const { stateDir } = own.repo;
  const file = await readStreamFile(stateDir);
  if (file !== null) await writeStreamFile(stateDir, { ...file, prepared: false });
  tell('its worktree was gone: it is made again as its last commit has it');
}
