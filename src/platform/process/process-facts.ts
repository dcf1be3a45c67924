import { hostname } from 'node:os';

export function processId(): number {
  return process.pid;
}

/** Whether a process of this machine has this id, including processes of other users. */
export function processExists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** This machine's name, as shown to people who look for the holder of a lock. */
export function hostName(): string {
  return hostname();
}
