import { exists } from '../../platform/files/files.ts';
import type { RunContext } from '../context.ts';

/** Installed packages and builds lie at the top, or in the top folder of a part; a longer list is of something else. */
const DEPTH = 2;
const MOST = 200;

/**
 * Ignored folders that were there when the iteration began and are gone (`git clean -fdx`): no checkpoint holds them, and
 * checks fail without them. Told once each; those that are still missing from an earlier iteration of this run count on.
 * @param ignored as git lists them at the checkpoint: folders end with a slash
 * @param saved ignored files that come back, and their folders with them
 */
export async function goneFolders(
  context: Pick<RunContext, 'git' | 'emit' | 'gone'>,
  iteration: number,
  ignored: readonly string[],
  saved: readonly string[],
): Promise<readonly string[]> {
  const folders = ignored
    .filter((path) => isOfTheProject(path) && !saved.some((file) => file.startsWith(path)))
    .slice(0, MOST);
  const looked = [...new Set([...context.gone, ...folders])];
  const there = await Promise.all(looked.map((folder) => exists(`${context.git.repo.root}/${folder}`)));
  const gone = looked.filter((_, at) => !there[at]);
  const fresh = gone.filter((folder) => !context.gone.includes(folder));
  context.gone = gone;
  if (fresh.length > 0) {
    const text = `Gone since the agent worked: ${fresh.join(', ')}. Git ignores it, so that no checkpoint holds it.`;
    const mend = 'install or build it again; until then checks that fail cost the story no attempt';
    context.emit(iteration, { type: 'notice', level: 'warning', remember: true, text, mend });
  }
  return gone;
}

function isOfTheProject(path: string): boolean {
  return path.endsWith('/') && path.split('/').length <= DEPTH + 1 && !path.startsWith('.ralph/');
}
