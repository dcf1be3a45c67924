import { readJournal } from '../../adapters/workspace/records/journal.ts';
import { mainRoot, WORKTREES_FOLDER } from '../../adapters/workspace/worktrees/places.ts';
import type { Mode } from '../../contracts/model.ts';
import type { RunContext } from '../../loop/context.ts';
import { exists } from '../../platform/files/files.ts';

/** A story that a lane has: at work, left by a run that ended, or done and not landed. */
export interface LaneNow {
  readonly lane: number;
  readonly story: string;
  /** Of its iteration that is at work or was cut off. */
  readonly mode: Mode | null;
  /** Done or blocked in its lane, and not on the branch yet. */
  readonly landing: boolean;
}

/** What lanes have now, by number. Takes no lock: what is under way may be further by the time it is read. */
export async function lanesNow(place: Pick<RunContext, 'git' | 'workspace' | 'env'>): Promise<readonly LaneNow[]> {
  if (!(await exists(`${await mainRoot(place.git)}/${WORKTREES_FOLDER}`))) return [];
  const { lanesOf } = await import('./team.ts');
  const lanes: LaneNow[] = [];
  for (const { number: lane, git, work } of await lanesOf(place)) {
    if (work === null) continue;
    const entry = await readJournal(git.repo.stateDir, 0).catch(() => null);
    const mode = entry === null || entry.phase === 'done' || entry.story !== work.story ? null : entry.mode;
    lanes.push({ lane, story: work.story, mode, landing: work.landing !== null });
  }
  return lanes;
}
