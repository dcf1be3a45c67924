/** Stands in for `platform/lock.ts`: a lock that ends with its process, whatever way that ends. */
import { machine } from './machine.ts';

interface Holder {
  readonly pid: number;
  readonly host: string;
  readonly startedAt: string;
  readonly run: string;
}

export const thisProcess = (run: string, now = Date.now()): Holder => ({
  pid: 4242,
  host: 'simulated',
  startedAt: new Date(now).toISOString(),
  run,
});

const held = new WeakMap<object, Map<string, Holder>>();

function locks(): Map<string, Holder> {
  const { disk } = machine();
  const found = held.get(disk) ?? new Map<string, Holder>();
  held.set(disk, found);
  return found;
}

export async function tryLock(path: string, holder: Holder) {
  machine().step('lock', path);
  const other = locks().get(path);
  if (other) return { heldBy: other };
  locks().set(path, holder);
  return {
    update: async (next: Holder) => void locks().set(path, next),
    release: async () => {
      if (!machine().gone) locks().delete(path);
    },
  };
}

export async function lockHolder(path: string): Promise<Holder | null> {
  return locks().get(path) ?? null;
}

/** The system lets go of what a process held when it ended. */
export function dropLocks(): void {
  locks().clear();
}

/** Names of locks that are held. */
export function heldLocks(): readonly string[] {
  return [...locks().keys()];
}
