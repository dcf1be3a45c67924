import { basename, dirname } from 'node:path';
import { type Git, linkBack, namedGitDir, openOwnTree, type WorktreeEntry } from '../adapters/git/index.ts';
import { readStreamFile, writeStreamFile } from '../adapters/workspace/index.ts';
import { RalphError } from '../contracts/index.ts';
import { exists, list, makeDir, move, orNull, readText, realPath, remove, stat } from '../platform/index.ts';
import { supervised, supervisorOf } from './supervisor-lock.ts';

interface RepairInput {
  /** Of any other work tree. */
  readonly git: Git;
  /** Where the work tree of the stream belongs, absolute. */
  readonly root: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Reports findings and repairs to people: one sentence. */
  readonly tell: (text: string) => void;
}

/**
 * Repairs the work tree of a stream: its folder may have been moved, deleted or replaced, and its git dir damaged.
 * Foreign files in its place are moved aside, never deleted; its ledger and its open run stay where git still has them.
 * @returns whether it exists; otherwise it can be created
 */
export async function repairTree(input: RepairInput): Promise<boolean> {
  const { git, root, tell } = input;
  const entry = (await git.worktrees()).find((tree) => tree.root === root);
  if (entry !== undefined) {
    if (await isSound(entry)) return true;
    // A process at work there gets the error in its own turn.
    const supervisor = await supervisorOf(`${entry.gitDir}/ralph`);
    if (supervisor !== null) throw supervised(basename(root), supervisor);
  }
  if (entry === undefined || !(await isUsable(entry))) {
    const aside = await moveAside(root);
    if (aside !== null) tell(`git no longer knows its worktree: it is created again; the old files: ${aside}`);
    if (entry !== undefined) await forget(git, entry);
    return false;
  }
  const found = await stat(root);
  const moved = await movedTo(entry);
  if (found !== null && (found.kind !== 'dir' || (moved !== null && !(await isLinked(entry))))) {
    const aside = await moveAside(root);
    if (aside !== null) tell(`something else was in the place of its worktree; it is kept: ${aside}`);
    await remove(root);
  }
  if (!(await exists(root))) await bringBack(input, entry, moved);
  else if (!(await isLinked(entry))) tell('the .git file of its worktree was missing or changed: it was restored');
  await openOwnTree(entry, { env: input.env });
  return true;
}

/** Renames what is at a path, to a name beside it. @returns the new path; null when there is nothing */
export async function moveAside(root: string): Promise<string | null> {
  const found = await stat(root);
  if (found === null || (found.kind === 'dir' && (await list(root)).length === 0)) return null;
  const stamp = new Date().toISOString().replace(/\..*/, '').replaceAll(/[-:]/g, '').replace('T', '-');
  let aside = `${root}.kept-${stamp}`;
  for (let n = 2; await exists(aside); n += 1) aside = `${root}.kept-${stamp}-${n}`;
  await move(root, aside);
  // It is no longer a work tree: git must not mistake its files for those of the new one.
  if (found.kind === 'dir' && (await stat(`${aside}/.git`))?.kind === 'file') await remove(`${aside}/.git`);
  return aside;
}

/** Makes git forget a work tree whose folder is missing, even with a damaged git dir. */
export async function forget(git: Git, { root, gitDir }: Pick<WorktreeEntry, 'root' | 'gitDir'>): Promise<void> {
  try {
    await git.removeWorktree(root);
  } catch (error) {
    if (!(error instanceof RalphError) || basename(dirname(gitDir)) !== 'worktrees') throw error;
    await remove(gitDir);
  }
}

/** Whether its git dir is usable; one left half-made by a crash is not. */
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

/** From where it was moved, else from its last commit. */
async function bringBack({ root, env, tell }: RepairInput, entry: WorktreeEntry, moved: string | null): Promise<void> {
  if (moved !== null) {
    await move(moved, root);
    tell(`its worktree was moved to ${moved}: it was moved back`);
    return;
  }
  await makeDir(root);
  await linkBack(entry);
  const own = await openOwnTree(entry, { env });
  await own.resetTo(entry.head);
  const { stateDir } = own.repo;
  const file = await readStreamFile(stateDir);
  if (file !== null) await writeStreamFile(stateDir, { ...file, prepared: false });
  tell('its worktree was gone: it is created again from its last commit');
}
