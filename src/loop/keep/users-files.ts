import { shellWord } from '../../rules/shell-word.ts';
import type { RunContext } from '../context.ts';
import type { Ended } from '../judge/ended.ts';
import { loopFiles } from './loop-files.ts';

/**
 * Keeps what a person had in the work tree and in no commit, before work is committed that overwrote or deleted it:
 * untracked files, and changes under `--dirty keep`. Git would forget them with the next checkpoint.
 */
export async function keepUsersFiles(
  { git, workspace, emit, clock }: RunContext,
  { header, checkpoint, after }: Ended,
): Promise<void> {
  const own = new Set(loopFiles(workspace));
  const lost = after.changed.filter(({ path, status }) => status !== 'added' && !own.has(path));
  if (lost.length === 0) return;
  const changed = lost.map(({ path }) => path);
  const paths = await git.uncommittedAmong(changed, checkpoint.head, checkpoint.tree);
  if (paths.length === 0) return;
  const { name } = await git.rescue({
    run: header.run,
    iteration: header.iteration,
    tree: checkpoint.tree,
    parents: [checkpoint.head],
    subject: `rescue(${header.story}): files of yours as they were before iteration ${header.iteration}`,
    body: paths.join('\n'),
    date: clock.now(),
  });
  const shown = paths.slice(0, 5).join(', ') + (paths.length > 5 ? ` and ${paths.length - 5} more` : '');
  emit(header.iteration, {
    type: 'notice',
    level: 'warning',
    remember: true,
    text: `The work changed files of yours that were in no commit: ${shown}.`,
    mend: `they are kept as they were: ralph rescue restore ${name} ${paths.length === 1 ? shellWord(paths[0] ?? '') : 'PATH'}`,
  });
}
