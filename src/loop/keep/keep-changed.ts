import { shellWord } from '../../rules/shell-word.ts';
import type { RunContext } from '../context.ts';

interface Told {
  readonly run: string;
  readonly paths: Set<string>;
}

/** Paths that changed while checks of a run ran, by work tree: the turns of a run have nothing else in common. */
const toldOf = new Map<string, Told>();

/**
 * Keeps what changed in the work tree while checks ran, before it is undone: nobody can tell what a check wrote from
 * what a person wrote meanwhile. New files that were kept once under the same names are reports and the like, which
 * checks leave every time: they are not kept again.
 */
export async function keepWhatChanged(
  { git, run, clock, emit }: RunContext,
  iteration: number,
  before: string,
  after: string,
): Promise<void> {
  const told = pathsToldOf(git.repo.root, run);
  const changes = await git.changes(before, after);
  const lost = changes.filter(({ path, status }) => status !== 'added' || !told.has(path)).map(({ path }) => path);
  if (lost.length === 0) return;
  const { name } = await git.rescue({
    run,
    iteration,
    tree: after,
    // An agent may have left a branch without a commit.
    parents: (await git.descends('HEAD', 'HEAD')) ? ['HEAD'] : [],
    subject: 'rescue: what changed while the checks ran',
    body: lost.join('\n'),
    date: clock.now(),
  });
  const news = lost.filter((path) => !told.has(path));
  for (const path of news) told.add(path);
  if (news.length === 0) return;
  const shown = news.slice(0, 5).join(', ') + (news.length > 5 ? ` and ${news.length - 5} more` : '');
  emit(iteration, {
    type: 'notice',
    level: 'warning',
    remember: true,
    text: `Changed while the checks ran, by them or by you, and put back: ${shown}.`,
    mend: `as it was: ralph rescue restore ${name} ${news.length === 1 ? shellWord(news[0] ?? '') : 'PATH'}; what checks write belongs into .gitignore`,
  });
}

function pathsToldOf(root: string, run: string): Set<string> {
  const held = toldOf.get(root);
  if (held?.run === run) return held.paths;
  const paths = new Set<string>();
  toldOf.set(root, { run, paths });
  return paths;
}
