import type { ShownWait } from './waiting.ts';
import { nextTold } from './waiting.ts';

/** Follows what is waited for. */
export interface Countdown {
  /** null: nothing is waited for any more. */
  follow(wait: ShownWait | null): void;
  close(): void;
}

/**
 * Tells now and then how long a wait still takes, where there is no live line to show it. Holds a timer only while
 * something is waited for, and one that keeps no process alive.
 */
export function createCountdown(now: () => number, tell: (wait: ShownWait) => void): Countdown {
  let current: ShownWait | null = null;
  let timer: NodeJS.Timeout | undefined;

  function plan(wait: ShownWait): void {
    const delay = nextTold(wait.until === null ? null : wait.until - now());
    if (delay === null) return;
    timer = setTimeout(() => {
      // At the end itself the run goes on, and says so.
      if (wait.until === null || wait.until - now() >= 500) tell(wait);
      plan(wait);
    }, delay);
    timer.unref();
  }
  function follow(wait: ShownWait | null): void {
    if (wait === current) return;
    clearTimeout(timer);
    current = wait;
    if (wait) plan(wait);
  }
  return { follow, close: () => follow(null) };
}
