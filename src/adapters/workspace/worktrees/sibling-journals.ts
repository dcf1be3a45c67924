import type { JournalEntry } from '../../../contracts/state/journal.ts';
import { list, readText } from '../../../platform/files/files.ts';
import { lockHolder } from '../../../platform/lock/lock.ts';
import { readJournal } from '../records/journal.ts';

/**
 * The iterations that are under way in other work trees of a repository, those of runs that are alive. What cannot be
 * read is somebody else's to mend and left out.
 */
export async function siblingJournals(repo: {
  readonly commonDir: string;
  readonly stateDir: string;
}): Promise<readonly JournalEntry[]> {
  const linked = (await list(`${repo.commonDir}/worktrees`)).map((name) => `${repo.commonDir}/worktrees/${name}`);
  const states = [repo.commonDir, ...linked].map((gitDir) => `${gitDir}/ralph`).filter((dir) => dir !== repo.stateDir);
  const entries = await Promise.all(states.map(underWay));
  return entries.filter((entry) => entry !== null);
}

async function underWay(stateDir: string): Promise<JournalEntry | null> {
  // Emptied when it is let go: most work trees are passed over by one short look.
  if (!(await readText(`${stateDir}/lock`))) return null;
  const entry = await readJournal(stateDir, 0).catch(() => null);
  if (entry === null || entry.phase === 'done') return null;
  return (await lockHolder(`${stateDir}/lock`)) === null ? null : entry;
}
