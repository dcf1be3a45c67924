import { GitError } from '../../../contracts/errors.ts';
import { systemClock } from '../../../platform/clock.ts';
import { tryLock } from '../../../platform/lock/lock.ts';
import { hostName } from '../../../platform/process/process-facts.ts';
import type { Room } from '../room.ts';

/** A checkout of a large project takes its time. */
const PATIENCE_MS = 10 * 60_000;
const LOOK_EVERY_MS = 20;

/**
 * Does what changes the list of work trees, or a branch together with its files, while nobody else of us does in this
 * repository: git itself fails ("cannot lock ref") where two come at once.
 */
export async function alone<T>(room: Room, doing: string, work: () => Promise<T>): Promise<T> {
  const holder = {
    pid: process.pid,
    host: hostName(),
    startedAt: new Date(systemClock.now()).toISOString(),
    run: `ralph (${doing})`,
  };
  // A folder of its own two levels deep: see `tryLock`.
  const path = `${room.repo.commonDir}/ralph/worktrees/changes/lock`;
  const until = systemClock.now() + PATIENCE_MS;
  for (;;) {
    const lock = await tryLock(path, holder);
    if (!('heldBy' in lock)) {
      try {
        return await work();
      } finally {
        await lock.release();
      }
    }
    if (systemClock.now() > until) throw tooLong(room, doing, lock.heldBy);
    await systemClock.sleep(LOOK_EVERY_MS);
  }
}

function tooLong(room: Room, doing: string, by: { readonly pid: number; readonly host: string } | null): GitError {
  return new GitError({
    what: `git could not ${doing}`,
    where: room.repo.commonDir,
    why: `for ten minutes another ralph has been changing the work trees${by === null ? '' : ` (pid ${by.pid} on ${by.host})`}`,
    mend: ['see what it waits for: a filter of git may hang', 'end it, then try again'],
  });
}
