import { loadOrThrow } from '../../adapters/workspace/backlog/document.ts';
import { readRunRecord } from '../../adapters/workspace/records/run-record.ts';
import type { RunContext } from '../../loop/context.ts';
import { isDone } from '../../rules/backlog/select.ts';
import { dropEmptyFolder } from '../tree.ts';
import type { Lane } from './crew.ts';
import { lanesOf } from './team.ts';

/** A story that was done otherwise while a lane had work on it, which is kept. */
export interface Cleared {
  readonly story: string;
  /** `<run>/<iteration>-<k>` */
  readonly rescue: string;
}

type Place = Pick<RunContext, 'git' | 'workspace' | 'env' | 'clock'>;

/**
 * After a run without lanes: removes those of an earlier one that are free, or whose stories are done by now. The caller
 * holds the lock of the work tree.
 */
export async function clearLanes(place: Place): Promise<readonly Cleared[]> {
  const { git, workspace } = place;
  const { document } = await loadOrThrow(workspace);
  const open = new Set(document.backlog.stories.filter((story) => !isDone(story)).map(({ id }) => id));
  const cleared: Cleared[] = [];
  for (const lane of await lanesOf(place)) {
    const { work } = lane;
    if (work !== null && open.has(work.story)) continue;
    const rescue = work === null ? null : await keepAll(place, lane, work.base);
    if (work !== null && rescue !== null) cleared.push({ story: work.story, rescue });
    await git.removeWorktree(lane.git.repo.root);
  }
  await dropEmptyFolder(git);
  return cleared;
}

/** Commits and whatever a crash left uncommitted. @returns the name of the rescue; null where there is nothing */
async function keepAll({ git, clock }: Place, lane: Lane, base: string): Promise<string | null> {
  const { work } = lane;
  const head = work?.landing?.head ?? (await lane.git.resolve('HEAD'));
  if (work === null || head === null) return null;
  const tree = work.landing ? await git.treeWith(head, {}) : await lane.git.tree();
  if ((await git.changes(base, tree)).length === 0) return null;
  const record = await readRunRecord(git.repo.stateDir);
  const { name } = await git.rescue({
    run: record?.run ?? 'lanes',
    iteration: 0,
    tree,
    parents: [head],
    subject: `rescue: ${work.story} is done otherwise; this is what a lane had of it`,
    date: clock.now(),
  });
  return name;
}
