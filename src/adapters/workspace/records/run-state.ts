import type { RunState } from '../../../contracts/catalogue.ts';
import { type Clock, systemClock } from '../../../platform/clock.ts';
import { processExists } from '../../../platform/process/process-facts.ts';
import type { RunView } from '../../../rules/view/model.ts';
import { readMarker } from './marker.ts';

/** A run writes its marker within moments of its first event, and again every few seconds. */
const MARKER_LATE_MS = 10_000;

/** Whether a run lives, and what it does, by what it left in its work tree. */
export async function runState(
  root: string,
  view: Pick<RunView, 'run' | 'ended' | 'now' | 'pid' | 'lastEventAt' | 'betweenSince'>,
  clock: Clock = systemClock,
): Promise<RunState> {
  if (view.ended !== null) return 'ended';
  if (view.betweenSince !== null) return 'between';
  if (!(await isAlive(root, view, clock))) return 'cut-off';
  if (view.now.waiting === null) return 'running';
  return view.now.waiting.why === 'pause' ? 'paused' : 'waiting';
}

async function isAlive(
  root: string,
  { run, pid, lastEventAt }: Pick<RunView, 'run' | 'pid' | 'lastEventAt'>,
  clock: Clock,
): Promise<boolean> {
  const found = await readMarker(root, clock);
  if (found?.marker.run === run) return found.live;
  // Not there yet, or an agent deleted it: the process tells, for as long as it cannot be another one's number.
  return pid !== null && processExists(pid) && Math.abs(clock.now() - lastEventAt) < MARKER_LATE_MS;
}
