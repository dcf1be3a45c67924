import type { ProjectInfo } from '../../../contracts/catalogue.ts';
import { list, stat } from '../../../platform/files/files.ts';
import { WORKTREES_FOLDER } from '../worktrees/places.ts';
import { listProjects, projectAt } from './projects.ts';

/**
 * The work trees of this person in which runs were started, and with each repository those of its streams and lanes,
 * also before their first run.
 * @param more work trees that count as well, remembered or not
 */
export async function knownTrees(
  env: Readonly<Record<string, string | undefined>>,
  more: readonly ProjectInfo[] = [],
): Promise<readonly ProjectInfo[]> {
  const known = [...(await listProjects(env)), ...more];
  const inside = await Promise.all(known.map(treesInside));
  const all = new Map([...known, ...inside.flat()].map((project) => [project.root, project]));
  return [...all.values()].sort((one, other) => (one.root < other.root ? -1 : 1));
}

async function treesInside({ root, repository }: ProjectInfo): Promise<readonly ProjectInfo[]> {
  const folder = `${root}/${WORKTREES_FOLDER}`;
  const roots = (await list(folder)).map((name) => `${folder}/${name}`);
  // A linked work tree has a file where others have a folder.
  const there = await Promise.all(roots.map(async (one) => (await stat(`${one}/.git`))?.kind === 'file'));
  return roots.filter((_, i) => there[i]).map((one) => projectAt({ root: one, repository }));
}
