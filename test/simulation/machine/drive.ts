import { GONE, type Machine } from './machine.ts';

/** How a process ended; `stuck` and `endless` are what no process may do. */
export type Ending<T> =
  | { readonly kind: 'ended'; readonly value: T }
  | { readonly kind: 'threw'; readonly error: unknown }
  | { readonly kind: 'gone' }
  | { readonly kind: 'stuck' }
  | { readonly kind: 'endless' };

/** More timers ring in no life of a world that ends. */
const MOST_RINGS = 4_000;

/** Runs a process of the simulated machine: whenever it can do nothing more, the next timer rings. */
export async function drive<T>(machine: Machine, life: () => Promise<T>): Promise<Ending<T>> {
  let ending: Ending<T> | null = null;
  const running = life();
  running.then(
    (value) => {
      ending = { kind: 'ended', value };
    },
    (error: unknown) => {
      ending = { kind: 'threw', error };
    },
  );
  for (let rings = 0; rings < MOST_RINGS; rings += 1) {
    await idle();
    if (machine.gone) {
      // What still runs of it comes to its next wait, and stays there.
      await idle();
      return { kind: 'gone' };
    }
    if (ending !== null) return ending;
    try {
      if (!machine.time.ring()) return { kind: 'stuck' };
    } catch (error) {
      if (error !== GONE) throw error;
    }
  }
  return { kind: 'endless' };
}

/** Everything that can go on without a timer has gone on. */
function idle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
