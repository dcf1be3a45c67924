/** So often a log without a live line says that something goes on: sooner than CI services give a silent job up. */
const HEARTBEAT_MS = 300_000;

/** Follows whether something is at work, and whether the log said anything. */
export interface Heartbeat {
  follow(state: { readonly atWork: boolean; readonly printed: boolean }): void;
  close(): void;
}

/**
 * Calls `tell` whenever something was at work for five minutes and the log said nothing. Holds a timer only
 * meanwhile, and one that keeps no process alive.
 */
export function createHeartbeat(tell: () => void): Heartbeat {
  let timer: NodeJS.Timeout | null = null;
  const stop = () => {
    if (timer) clearInterval(timer);
    timer = null;
  };
  return {
    follow({ atWork, printed }) {
      if (atWork && timer !== null && !printed) return;
      stop();
      if (atWork) timer = setInterval(tell, HEARTBEAT_MS).unref();
    },
    close: stop,
  };
}
