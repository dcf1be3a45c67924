import type { Clock } from '../../platform/clock.ts';

/** First pause, milliseconds; each is twice the one before. */
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;

export interface Patience {
  readonly clock: Clock;
  /** How long it is tried again, milliseconds. */
  readonly patienceMs: number;
  /** Whether it may go better next time. */
  readonly isTransient: (error: unknown) => boolean;
  /** Told before each pause; must not throw. */
  readonly onPause: (error: unknown, ms: number) => void;
  /** Ends the trying: the last error is thrown. */
  readonly signal: AbortSignal;
}

/** Tries something over a network until it works, fails for good, or the patience is at an end. */
export async function withPatience<T>(
  attempt: () => Promise<T>,
  { clock, patienceMs, isTransient, onPause, signal }: Patience,
): Promise<T> {
  const until = clock.now() + patienceMs;
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
    try {
      return await attempt();
    } catch (error) {
      if (!isTransient(error) || signal.aborted || clock.now() + pause > until) throw error;
      onPause(error, pause);
      await clock.sleep(pause, signal);
      if (signal.aborted) throw error;
    }
  }
}
