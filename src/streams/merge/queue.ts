import { LockedError } from '../../contracts/errors.ts';
import { systemClock } from '../../platform/clock.ts';
import { type LockHolder, tryLock } from '../../platform/lock/lock.ts';
import { hostName, processId } from '../../platform/process/process-facts.ts';
import { refuseWhenStopped } from './stopped.ts';

const LOOK_EVERY_MS = 100;

export interface Turn {
  /** Of the repository: work trees share it. */
  readonly commonDir: string;
  /** As it is named to whoever waits. */
  readonly command: string;
  readonly signal: AbortSignal;
  /** Told once of each merge that is waited for. */
  readonly tell: (text: string) => void;
}

/**
 * Does something while nobody else merges in this repository; waits as long as that takes. Every merge sees what the
 * one before it made.
 * @throws StoppedError when it was told to stop while it waited
 */
export async function inTurn<T>({ commonDir, command, signal, tell }: Turn, task: () => Promise<T>): Promise<T> {
  const holder: LockHolder = {
    pid: processId(),
    host: hostName(),
    startedAt: new Date(systemClock.now()).toISOString(),
    run: command,
  };
  let told = '';
  for (;;) {
    refuseWhenStopped(signal);
    // Two folders deep: the lock is also known by the folder above its own, and that one must be nobody else's.
    const lock = await tryLock(`${commonDir}/ralph/merge/queue/lock`, holder).catch((error: unknown) => {
      throw unwritable(commonDir, error);
    });
    if (!('heldBy' in lock)) {
      try {
        return await task();
      } finally {
        await lock.release();
      }
    }
    const by = nameOf(lock.heldBy);
    if (by !== told) tell(`waiting for ${by}`);
    told = by;
    await systemClock.sleep(LOOK_EVERY_MS);
  }
}

function nameOf(holder: LockHolder | null): string {
  return holder === null ? 'another merge' : `\`${holder.run}\` (pid ${holder.pid} on ${holder.host})`;
}

function unwritable(commonDir: string, error: unknown): LockedError {
  return new LockedError(
    {
      what: 'the lock for merges cannot be taken',
      where: `${commonDir}/ralph/merge`,
      why: error instanceof Error ? error.message : String(error),
      mend: ['see whether you may write there, and whether the disk has room'],
    },
    false,
  );
}
