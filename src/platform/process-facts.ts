import { hostname } from 'node:os';

/** This process's id. */
export function processId(): number {
  return process.pid;
}

/** This machine's name, as shown to people who look for the holder of a lock. */
export function hostName(): string {
  return hostname();
}
