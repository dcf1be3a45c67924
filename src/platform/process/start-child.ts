import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { SpawnFailed } from './spawn-failed.ts';

/**
 * Starts a program and resolves once it runs, with a known pid. Rejects with {@link SpawnFailed}, by whichever of
 * its three ways the system reported the failure.
 */
export function startChild<T extends ChildProcess>(
  file: string,
  args: readonly string[],
  options: SpawnOptions & { cwd: string },
): Promise<T & { pid: number }> {
  return new Promise((resolve, reject) => {
    const fail = (cause: unknown) => reject(new SpawnFailed(file, options.cwd, cause));
    try {
      const child = spawn(file, args, options);
      // Stays attached: an error that comes later (a failed kill) must not be an uncaught one.
      child.on('error', fail);
      child.once('spawn', () => resolve(child as T & { pid: number }));
    } catch (cause) {
      fail(cause);
    }
  });
}
