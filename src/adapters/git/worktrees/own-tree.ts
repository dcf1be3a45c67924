import { basename, dirname, join, resolve } from 'node:path';
import { GitRefusal } from '../../../contracts/index.ts';
import { exists, makeDir, move, orNull, readText, realPath, stat, writeAtomic } from '../../../platform/index.ts';
import type { OpenOptions } from '../find-room.ts';
import { openGit } from '../open.ts';
import type { Git } from '../port.ts';
import { replaced } from './in-place.ts';

/** A linked work tree as git recorded it. */
interface OwnTree {
  /** Absolute, links resolved. */
  readonly root: string;
  /** Its own git dir, absolute. */
  readonly gitDir: string;
}

/**
 * Opens only this linked work tree: without its `.git` file git would find the repository above it, and a changed one
 * names another work tree. Such a file is rewritten; a repository in its place is moved into the state folder.
 * @throws GitRefusal when its folder is no longer a folder, or its git dir is gone
 */
export async function openOwnTree(tree: OwnTree, options: OpenOptions): Promise<Git> {
  const { root, gitDir } = tree;
  if ((await stat(root))?.kind !== 'dir' || (await orNull(realPath(root))) !== root) throw replaced(root);
  if (!(await exists(`${gitDir}/HEAD`))) throw noGitDir(tree);
  await linkBack(tree);
  const git = await openGit(root, options);
  if (git.repo.root !== root || git.repo.gitDir !== (await realPath(gitDir))) throw noGitDir(tree);
  return git;
}

/** The git dir that a work tree names; null without a `.git` file. */
export async function namedGitDir(root: string): Promise<string | null> {
  if ((await stat(`${root}/.git`))?.kind !== 'file') return null;
  const [, path] = /^gitdir: (.*?)\n?$/.exec((await readText(`${root}/.git`)) ?? '') ?? [];
  return path === undefined ? null : resolve(root, path);
}

/** Makes a folder the work tree of a git dir. */
export async function linkBack({ root, gitDir }: OwnTree): Promise<void> {
  const link = join(root, '.git');
  const named = await namedGitDir(root);
  if (named !== null && (await orNull(realPath(named))) === (await realPath(gitDir))) return;
  if ((await stat(link))?.kind === 'dir') {
    await makeDir(`${gitDir}/ralph`);
    await move(link, `${gitDir}/ralph/replaced-${Date.now()}.git`);
  }
  await writeAtomic(link, `gitdir: ${gitDir}\n`);
}

function noGitDir({ root, gitDir }: OwnTree): GitRefusal {
  return new GitRefusal({
    what: `the git dir of this work tree is damaged or gone: ${basename(dirname(gitDir))}/${basename(gitDir)}`,
    where: root,
    why: 'git would take the files for those of another work tree',
    mend: ['of a stream: `ralph stream start` makes it anew from its branch, and keeps what is in the folder'],
  });
}
