import { acquireRunLock } from '../../adapters/workspace/records/run-lock.ts';
import { hostName, processId } from '../../platform/process/process-facts.ts';

/**
 * Does something while no run can start.
 * @param command as it is named to whoever waits for the lock
 * @throws LockedError (exit 4) naming the run that holds the lock
 */
export async function withRunLock<T>(stateDir: string, command: string, task: () => Promise<T>): Promise<T> {
  const startedAt = new Date().toISOString();
  const lock = await acquireRunLock(stateDir, { pid: processId(), host: hostName(), startedAt, run: command });
  try {
    return await task();
  } finally {
    await lock.release();
  }
}
