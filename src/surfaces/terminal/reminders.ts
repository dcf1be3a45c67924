import { nextTold, type ShownWait } from './waiting.ts';

/**
 * Reports now and then how long a wait still takes, where there is no live line to show it. Holds a timer only during a
 * wait, and one that keeps no process alive.
 */
export function createCountdown(now: () => number, tell: (wait: ShownWait) => void) {
  let current: ShownWait | null = null;
  let timer: NodeJS.Timeout | undefined;

  function plan(wait: ShownWait): void {
    const delay = nextTold(wait.until === null ? null : wait.until - now());
    if (delay === null) return;
    timer = setTimeout(() => {
      // At its end the run continues, and reports that.
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

/** How often a log without a live line reports activity: sooner than CI services stop a silent job. */
const HEARTBEAT_MS = 300_000;

/**
 * Calls `tell` after every five minutes of activity without a line in the log. Holds a timer only meanwhile, and one
 * that keeps no process alive.
 */
export function createHeartbeat(tell: () => void) {
  let timer: NodeJS.Timeout | null = null;
  const stop = () => {
    if (timer) clearInterval(timer);
    timer = null;
  };
  return {
    follow({ atWork, printed }: { readonly atWork: boolean; readonly printed: boolean }) {
      if (atWork && timer !== null && !printed) return;
      stop();
      if (atWork) timer = setInterval(tell, HEARTBEAT_MS).unref();
    },
    close: stop,
  };
}
