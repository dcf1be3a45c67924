import { readJournal } from '../../adapters/workspace/records/journal.ts';
import { readLedger } from '../../adapters/workspace/records/ledger.ts';
import { recover } from '../../loop/recover.ts';
import type { Crew, Lane } from './crew.ts';
import { insideLane } from './inside-lane.ts';

/**
 * Finishes or rolls back what a crash cut off in a lane that has no further turn on its story. Left undone, the first
 * turn on another story would do it, and put the work tree back to what it was before that one began.
 */
export async function recoverLane(crew: Crew, lane: Lane): Promise<void> {
  const { stateDir } = lane.git.repo;
  const entry = await readJournal(stateDir, 0);
  if (entry === null || entry.phase === 'done') return;
  const ledger = [...(await readLedger(stateDir))];
  const { run } = entry;
  await insideLane(crew, lane, (inside) =>
    recover({
      ...inside,
      run,
      ledger,
      // Whatever is left of it to tell is told where it is kept.
      emit: () => undefined,
    }),
  );
}
