import { LockedError } from '../contracts/errors.ts';
import { type Lock, type LockHolder, lockHolder, tryLock } from '../platform/lock/lock.ts';
import { hostName, processId } from '../platform/process/process-facts.ts';

/**
 * Says that a process lets a stream take turns, also between two of them, when nobody has the lock of its work tree.
 * @throws LockedError naming the one that does so already
 */
export async function lockSupervised(stream: string, stateDir: string): Promise<Lock> {
  const holder = { pid: processId(), host: hostName(), startedAt: new Date().toISOString(), run: 'ralph stream start' };
  const lock = await tryLock(pathIn(stateDir), holder);
  if ('heldBy' in lock) throw supervised(stream, lock.heldBy);
  return lock;
}

/** Who lets a stream take turns; null when nobody does. */
export function supervisorOf(stateDir: string): Promise<LockHolder | null> {
  return lockHolder(pathIn(stateDir));
}

/** The error for what must not happen meanwhile. */
export function supervised(stream: string, by: LockHolder | null): LockedError {
  return new LockedError({
    what: `another \`ralph stream start\` lets ${stream} take turns`,
    ...(by === null ? {} : { where: `pid ${by.pid} on ${by.host}, since ${by.startedAt}` }),
    mend: ['wait for it to end, or stop it: Ctrl-C in its terminal', '`ralph stream status` shows how far it is'],
  });
}

function pathIn(stateDir: string): string {
  return `${stateDir}/supervisor/lock`;
}
