import { mainRoot, readJournal, WORKTREES_FOLDER } from '../../adapters/workspace/index.ts';
import type { Mode } from '../../contracts/index.ts';
import type { RunContext } from '../../loop/index.ts';
import { exists } from '../../platform/index.ts';

/** The story of a lane: at work, left by a run that ended, or done and not landed. */
export interface LaneNow {
  readonly lane: number;
  readonly story: string;
  /** Of its active or interrupted iteration. */
  readonly mode: Mode | null;
  /** Done or blocked in its lane, and not on the branch yet. */
  readonly landing: boolean;
}

/** The current content of lanes, by number. Takes no lock, so the state may have moved on by the time it is read. */
export async function lanesNow(place: Pick<RunContext, 'git' | 'workspace' | 'env'>): Promise<readonly LaneNow[]> {
  if (!(await exists(`${await mainRoot(place.git)}/${WORKTREES_FOLDER}`))) return [];
  const { lanesOf } = await import('./team.ts');
  const lanes: LaneNow[] = [];
  for (const { number: lane, git, work } of await lanesOf(place)) {
    if (work === null) continue;
    const entry = await readJournal(git.repo.stateDir).catch(() => null);
    const mode = entry === null || entry.phase === 'done' || entry.story !== work.story ? null : entry.mode;
    lanes.push({ lane, story: work.story, mode, landing: work.landing !== null });
  }
  return lanes;
}
