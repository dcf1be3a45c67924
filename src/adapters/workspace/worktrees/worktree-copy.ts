import { dirname, posix } from 'node:path';
import { copy, exists, makeDir, orNull, realPath } from '../../../platform/files/files.ts';
import { isWithin } from '../../../platform/files/files-inside.ts';

/**
 * Copies what `worktree.copy` names into a fresh work tree, over what is there. What an agent may have put in the way
 * must not fetch what lies outside of the project.
 * @param root of the project, symbolic links resolved
 * @param given files and folders relative to the project
 * @returns what is wrong with the first that cannot be copied, as a sentence for people; null when all are there
 */
export async function copyToWorktree(root: string, dir: string, given: readonly string[]): Promise<string | null> {
  for (const path of given) {
    const problem = await copyOne(root, dir, path);
    if (problem !== null) return problem;
  }
  return null;
}

async function copyOne(root: string, dir: string, given: string): Promise<string | null> {
  const path = posix.normalize(given).replace(/\/$/, '');
  const real = await orNull(realPath(dirname(`${root}/${path}`)));
  const isInside =
    !path.startsWith('/') && path !== '..' && !path.startsWith('../../') && real !== null && isWithin(root, real);
  if (!isInside || !(await exists(`${root}/${path}`)))
    return `worktree.copy names ${given}, which is not in the project`;
  await makeDir(dirname(`${dir}/${path}`));
  await copy(`${root}/${path}`, `${dir}/${path}`);
  return null;
}
