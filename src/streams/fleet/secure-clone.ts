import { dirname } from 'node:path';
import { openGit } from '../../adapters/git/index.ts';
import { secureStart } from '../../loop/keep/secure.ts';
import { systemClock } from '../../platform/clock.ts';
import { exists, list, readText } from '../../platform/files/files.ts';

/**
 * Before anything in a worker's folder is used: where the worker before was killed while an agent was at work, what that
 * agent may have planted in the git dir is put back, as the next start of a run would do it.
 */
export async function secureClone(folder: string, env: Readonly<Record<string, string | undefined>>): Promise<void> {
  for (const root of await workTrees(folder)) {
    if (await exists(root)) await secureStart(await openGit(root, { env }), systemClock);
  }
}

/** Roots of the work trees of every clone in the folder, by what git itself keeps. */
async function workTrees(folder: string): Promise<readonly string[]> {
  const roots: string[] = [];
  for (const clone of await list(folder)) {
    const kept = `${folder}/${clone}/worktrees`;
    for (const name of await list(kept)) {
      const gitFile = (await readText(`${kept}/${name}/gitdir`))?.trim();
      if (gitFile) roots.push(dirname(gitFile));
    }
  }
  return roots;
}
