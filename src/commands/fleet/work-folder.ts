import { hostname } from 'node:os';
import { type Lock, tryLock } from '../../platform/lock/lock.ts';

interface WorkFolder {
  /** Absolute. */
  readonly path: string;
  release(): Promise<void>;
}

/**
 * A folder below `parent` that no other worker of this machine has: several share the parent, each with a clone of its
 * own. The first that is free, so that a worker that starts again finds the clone of the one before.
 */
export async function takeWorkFolder(parent: string, worker: string, now: number): Promise<WorkFolder> {
  const holder = { pid: process.pid, host: hostname(), startedAt: new Date(now).toISOString(), run: worker };
  for (let n = 1; ; n++) {
    const path = `${parent}/${n}`;
    const lock: Lock | { readonly heldBy: unknown } = await tryLock(`${path}/lock/lock`, holder);
    if (!('heldBy' in lock)) return { path, release: () => lock.release() };
  }
}
