import { systemClock } from '../../../platform/clock.ts';
import { membersOf } from '../../../platform/process/family.ts';
import { readProcessTable } from '../../../platform/process/process-table.ts';

/** What the loop promises for every way in which a run ends. */
const IN_TIME_MS = 15_000;

/** No process is left of what agents and checks of a run started (macOS does not tell; nothing is found there). */
export async function leftovers(run: string | null, withinMs = IN_TIME_MS): Promise<readonly string[]> {
  if (run === null) return [];
  const deadline = systemClock.now() + withinMs;
  for (;;) {
    const left = membersOf({ marker: run }, await readProcessTable(), process.pid);
    if (left.length === 0) return [];
    if (systemClock.now() >= deadline) return left.map(({ pid }) => `process ${pid} of the run is still there`);
    await systemClock.sleep(200);
  }
}
