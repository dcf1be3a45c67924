import { dirname } from 'node:path';
import { copyToWorktree } from '../../adapters/workspace/worktrees/worktree-copy.ts';
import { makeTempDir, orNull, realPath, remove } from '../../platform/files/files.ts';
import type { RunContext } from '../context.ts';
import { runInside } from '../inside/inside.ts';
import { lendDependencies } from './dependencies.ts';
import { proofPrefix } from './prefix.ts';

/** Kept of what a setup command says. */
const SETUP_OUTPUT_BYTES = 64 * 1024;

/** A fresh work tree outside of the user's. It has no git dir: nothing done there reaches the repository. */
export interface ProofPlace {
  readonly dir: string;
  /** Why what runs there may see the story's own code all the same; null when it cannot. */
  readonly leadsBack: string | null;
  /** Takes files there as another tree has them, and removes those that it has no more. */
  lay(tree: string, paths: readonly string[], gone: readonly string[]): Promise<void>;
  remove(): Promise<void>;
}

/**
 * Makes one from a commit, with what the configuration copies there and the commands that set it up.
 * @param isWork whether git sees a path of the user's work tree
 * @returns a sentence where it could not be made usable; nothing is left then
 */
export async function makePlace(
  context: RunContext,
  commit: string,
  isWork: (path: string) => boolean,
): Promise<ProofPlace | string> {
  const { git, run, config } = context;
  const { copy: copied, setup } = { copy: config.checks.copy, setup: config.checks.setup ?? [] };
  const { root } = git.repo;
  const dir = await makeTempDir(proofPrefix(run));
  try {
    await git.exportTree(commit, dir);
    const problem = await copyToWorktree(root, dir, copied);
    if (problem !== null) return await failed(problem);
    // A setup that installs would install into the user's folders through a link.
    const leadsBack = setup.length > 0 ? null : await lendDependencies({ root, dir, isWork });
    for (const command of setup) {
      const exitCode = await setUp(context, dir, command);
      if (exitCode !== 0)
        return await failed(`worktree.setup failed in a fresh work tree: \`${command}\` (exit ${exitCode ?? '-'})`);
    }
    return {
      dir,
      leadsBack,
      lay: (tree, paths, gone) => lay(context, dir, tree, paths, gone),
      remove: () => remove(dir),
    };
  } catch (error) {
    await remove(dir);
    throw error;
  }

  async function failed(why: string): Promise<string> {
    await remove(dir);
    return why;
  }
}

async function setUp(context: RunContext, dir: string, command: string): Promise<number | null> {
  const mounts = [{ from: dir, at: dir, writable: true }];
  const result = await runInside(context, {
    file: 'sh',
    args: ['-c', command],
    cwd: dir,
    mounts,
    maxBytes: SETUP_OUTPUT_BYTES,
  });
  return result.exitCode;
}

async function lay(
  { git }: RunContext,
  dir: string,
  tree: string,
  paths: readonly string[],
  gone: readonly string[],
): Promise<void> {
  await git.exportTree(tree, dir, paths);
  for (const path of gone) {
    // Code ran there: a folder on the way may be a link to anywhere by now.
    const folder = dirname(`${dir}/${path}`);
    if ((await orNull(realPath(folder))) === folder) await remove(`${dir}/${path}`);
  }
}
