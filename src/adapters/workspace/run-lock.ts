import { LockedError } from '../../contracts/errors.ts';
import { type Lock, type LockHolder, tryLock } from '../../platform/lock.ts';

/**
 * Takes the one lock of a work tree.
 * @throws LockedError (exit 4) naming who holds it.
 */
export async function acquireRunLock(stateDir: string, holder: LockHolder): Promise<Lock> {
  const result = await tryLock(`${stateDir}/lock`, holder);
  if ('heldBy' in result) throw lockedError(result.heldBy);
  return result;
}

function lockedError(held: LockHolder | null): LockedError {
  return new LockedError({
    what: held === null ? 'another run works on this work tree' : `run ${held.run} works on this work tree`,
    ...(held === null ? {} : { where: `pid ${held.pid} on ${held.host}, since ${held.startedAt}` }),
    why: 'two runs in one work tree would undo each other',
    mend: [
      '`ralph status` shows how far it is',
      'wait for it to end, or stop it: `ralph stop`, or Ctrl-C in its terminal',
    ],
  });
}
