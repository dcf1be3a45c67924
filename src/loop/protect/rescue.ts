import type { AfterState, Checkpoint } from '../../adapters/git/index.ts';
import type { IterationHeader } from '../../contracts/index.ts';
import { shellWord } from '../../rules/text/index.ts';
import type { RunContext } from '../context.ts';

/** Where the checkpoint's branch is now, wherever the agent moved HEAD. */
export function branchHead(checkpoint: Checkpoint, after: AfterState): string {
  if (checkpoint.branch === null || after.branch === checkpoint.branch) return after.head;
  return after.movedRefs[checkpoint.branch]?.[1] ?? checkpoint.head;
}

/**
 * Keeps what an agent left under a rescue ref, before any of it is removed. With nothing to keep (the tree is the
 * checkpoint's and no commit was made) it returns null. Always a new ref: an earlier rescue is never overwritten.
 */
export async function keepTree(
  context: RunContext,
  header: IterationHeader,
  checkpoint: Checkpoint,
  after: Pick<AfterState, 'tree' | 'head'>,
  why: string,
): Promise<string | null> {
  if (after.tree === checkpoint.tree && after.head === checkpoint.head) return null;
  const rescue = await context.git.rescue({
    run: header.run,
    iteration: header.iteration,
    tree: after.tree,
    parents: [after.head],
    subject: `rescue(${header.story}): ${why}`,
    body: `Mode: ${header.mode}\nCheckpoint: ${checkpoint.tree}`,
    date: context.clock.now(),
  });
  return rescue.ref;
}

interface Told {
  readonly run: string;
  readonly paths: Set<string>;
}

/** Paths that changed while checks of a run ran, by work tree: turns of a run share nothing else in memory. */
const toldOf = new Map<string, Told>();

/**
 * Keeps what changed in the work tree while checks ran, before it is undone: a check's changes cannot be told from
 * those that a person made meanwhile. New files already kept once under the same names are reports and similar output
 * that checks leave every time: they are not kept again.
 */
export async function keepWhatChanged(
  { git, run, clock, emit }: Pick<RunContext, 'git' | 'run' | 'clock' | 'emit'>,
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
