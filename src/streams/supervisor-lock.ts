import { LockedError } from '../contracts/index.ts';
import { type Lock, type LockHolder, lockHolder, thisProcess, tryLock } from '../platform/index.ts';

/**
 * Shows that a process supervises a stream, also between two turns, when the lock of its work tree is free.
 * @throws LockedError naming the process that does so already
 */
export async function lockSupervised(stream: string, stateDir: string): Promise<Lock> {
  const lock = await tryLock(pathIn(stateDir), thisProcess('ralph stream start'));
  if ('heldBy' in lock) throw supervised(stream, lock.heldBy);
  return lock;
}

/** The process that supervises a stream; null when there is none. */
export function supervisorOf(stateDir: string): Promise<LockHolder | null> {
  return lockHolder(pathIn(stateDir));
}

/** The error for what must not happen meanwhile. */
export function supervised(stream: string, by: LockHolder | null): LockedError {
  return new LockedError({
    what: `another \`ralph stream start\` is working on ${stream}`,
    ...(by === null ? {} : { where: `pid ${by.pid} on ${by.host}, since ${by.startedAt}` }),
    fix: ['wait for it to end, or stop it: Ctrl-C in its terminal', '`ralph stream status` shows how far it is'],
  });
}

function pathIn(stateDir: string): string {
  return `${stateDir}/supervisor/lock`;
}
