import { findConfigFile } from '../adapters/workspace/config/config-file.ts';
import type { Workspace } from '../adapters/workspace/layout.ts';
import { copyToWorktree } from '../adapters/workspace/worktrees/worktree-copy.ts';
import { UsageError } from '../contracts/errors.ts';
import { loopFiles } from '../loop/keep/loop-files.ts';
import { exists } from '../platform/files/files.ts';

/**
 * Brings spec folder and settings into a new work tree as the person has them, committed or not: git checks out only
 * what is committed, and the loop commits the rest there when it starts.
 * @param from absolute: the work tree that the person sees
 * @param whole no work was done on the branch yet: also files that it has in an older state
 */
export async function bringSpec(from: string, to: string, workspace: Workspace, whole: boolean): Promise<void> {
  const [config, there] = await Promise.all([findConfigFile(from), findConfigFile(to)]);
  // Two would be a guess.
  const settings = config !== null && (there === null || there === config) ? [config] : [];
  for (const path of [...specParts(workspace), ...settings]) {
    if (!(await exists(`${from}/${path}`))) continue;
    if (!whole && (await exists(`${to}/${path}`))) continue;
    const problem = await copyToWorktree(from, to, [path]);
    if (problem === null) continue;
    throw new UsageError({
      what: `${path} cannot be brought into the worktree of the stream`,
      where: to,
      why: 'it lies outside of the project',
      mend: ['keep it in the project'],
    });
  }
}

/** The whole folder; of one that is the project itself only what belongs to the loop. */
function specParts(workspace: Workspace): readonly string[] {
  const { specDir, prdPath, promptPath } = workspace;
  return specDir === '.' ? [...loopFiles(workspace), prdPath, promptPath] : [specDir];
}
