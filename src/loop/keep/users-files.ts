import type { Checkpoint } from '../../adapters/git/port.ts';
import { shellWord } from '../../rules/shell-word.ts';
import type { RunContext } from '../context.ts';
import type { Ended } from '../judge/ended.ts';
import { loopFiles } from './loop-files.ts';

/**
 * What a person had in the work tree and in no commit when the iteration began: untracked files, and changes under
 * `--dirty keep`. The version before is kept where work that stays overwrote or deleted it: git would forget it with the
 * next checkpoint. Untracked files that are gone come back: work of the story is in commits, so they are not the
 * agent's to delete.
 * @returns the paths that conclude puts back
 */
export async function keepUsersFiles(
  { git, workspace, emit, clock }: RunContext,
  { header, checkpoint, after }: Ended,
): Promise<readonly string[]> {
  const own = new Set(loopFiles(workspace));
  const lost = after.changed.filter(({ path, status }) => status !== 'added' && !own.has(path));
  if (lost.length === 0) return [];
  const changed = lost.map(({ path }) => path);
  const paths = await git.uncommittedAmong(changed, checkpoint.head, checkpoint.tree);
  if (paths.length === 0) return [];
  const deleted = new Set(lost.flatMap(({ path, status }) => (status === 'deleted' ? [path] : [])));
  const untracked = new Set((await git.changes(checkpoint.head, checkpoint.tree)).flatMap(addedPath));
  const back = paths.filter((path) => deleted.has(path) && untracked.has(path));
  const { name } = await git.rescue({
    run: header.run,
    iteration: header.iteration,
    tree: checkpoint.tree,
    parents: [checkpoint.head],
    subject: `rescue(${header.story}): files of yours as they were before iteration ${header.iteration}`,
    body: paths.join('\n'),
    date: clock.now(),
  });
  const rest = paths.filter((path) => !back.includes(path));
  if (rest.length === 0) return back;
  emit(header.iteration, {
    type: 'notice',
    level: 'warning',
    remember: true,
    text: `The work changed files of yours that were in no commit: ${shown(rest)}.`,
    mend: `they are kept as they were: ralph rescue restore ${name} ${rest.length === 1 ? shellWord(rest[0] ?? '') : 'PATH'}`,
  });
  return back;
}

/** What {@link keepUsersFiles} found deleted. Doing it again changes nothing. */
export async function putUsersFilesBack(
  { git, emit }: Pick<RunContext, 'git' | 'emit'>,
  iteration: number,
  checkpoint: Checkpoint,
  paths: readonly string[],
): Promise<void> {
  const back = await git.putBack(checkpoint, paths);
  const stay = paths.filter((path) => !back.includes(path));
  const tell = (text: string) => emit(iteration, { type: 'notice', level: 'warning', remember: true, text });
  if (back.length > 0)
    tell(`The agent deleted files of yours that git does not track: ${shown(back)}. They are put back.`);
  if (stay.length > 0)
    tell(`The agent put something else in the place of files of yours: ${shown(stay)}. They are kept in a rescue.`);
}

function addedPath({ path, status }: { readonly path: string; readonly status: string }): readonly string[] {
  return status === 'added' ? [path] : [];
}

function shown(paths: readonly string[]): string {
  return paths.slice(0, 5).join(', ') + (paths.length > 5 ? ` and ${paths.length - 5} more` : '');
}
