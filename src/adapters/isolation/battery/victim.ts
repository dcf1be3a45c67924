import { startChild } from '../../../platform/process/start-child.ts';

/** A process of the host that nothing inside may see or touch. */
export interface Victim {
  readonly pid: number;
  /** Is it still there, as it was? */
  alive(): boolean;
  end(): void;
}

/** Longer than any battery takes; it must end should we be killed. */
const LIFE_SECONDS = 300;

/** @param name shows in its command line. @param secrets in its command line and in its environment */
export async function startVictim(name: string, secrets: string, cwd: string): Promise<Victim> {
  const child = await startChild('sh', ['-c', `sleep ${LIFE_SECONDS} & wait`, name, secrets], {
    cwd,
    env: { PATH: process.env['PATH'], BATTERY_SECRETS: secrets },
    stdio: 'ignore',
    // A group of its own, so that its sleep goes with it.
    detached: true,
  });
  return {
    pid: child.pid,
    alive: () => child.exitCode === null && child.signalCode === null,
    end: () => {
      try {
        process.kill(-child.pid, 'SIGKILL');
      } catch {
        // Ended by an attempt: then there is nothing left to end.
      }
    },
  };
}
