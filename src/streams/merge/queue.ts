import { ExitCode, RalphError } from '../../contracts/index.ts';
import { type LockHolder, systemClock, thisProcess, tryLock } from '../../platform/index.ts';

const LOOK_EVERY_MS = 100;

interface Turn {
  /** Of the repository: work trees share it. */
  readonly commonDir: string;
  /** Its name for processes that wait. */
  readonly command: string;
  readonly signal: AbortSignal;
  /** Called once for each merge that is waited for. */
  readonly tell: (text: string) => void;
}

/**
 * Runs a task while no other merge runs in this repository; waits as long as that takes. Every merge sees the result of
 * the one before it.
 * @throws StoppedError when it was stopped while it waited
 */
export async function inTurn<T>({ commonDir, command, signal, tell }: Turn, task: () => Promise<T>): Promise<T> {
  const holder = thisProcess(command);
  let told = '';
  for (;;) {
    refuseWhenStopped(signal);
    // Two folders deep: the lock is also identified by the folder above its own, which no other lock may share.
    const lock = await tryLock(`${commonDir}/ralph/merge/queue/lock`, holder);
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

/** The user ended it (Ctrl-C, SIGTERM) before anything was merged. Exit 130 or 143. */
export class StoppedError extends RalphError {}

export function refuseWhenStopped(signal: AbortSignal): void {
  if (!signal.aborted) return;
  const code = signal.reason === 'terminated' ? ExitCode.terminated : ExitCode.interrupted;
  throw new StoppedError({ what: 'stopped: nothing was merged or changed' }, code);
}
