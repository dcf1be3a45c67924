import type { Clock } from '../../../platform/clock.ts';

/** The time of a replayed run, which goes faster than ours, stands still, or jumps. */
export interface Pace {
  /** Epoch ms in the run. */
  now(): number;
  /** Waits until it is that time in the run; at once for what lies behind. */
  until(epochMs: number): Promise<void>;
  /** How many times as fast; `Infinity` does not wait at all. */
  speed(): number;
  setSpeed(speed: number): void;
  paused(): boolean;
  setPaused(paused: boolean): void;
  /** Hurries on, whatever comes, until {@link Pace.arrive}. Ends a pause. */
  hurry(): void;
  arrive(): void;
  /** Nothing is waited for any more. */
  quit(): void;
  hasQuit(): boolean;
}

export interface PaceOptions {
  readonly clock: Clock;
  readonly speed: number;
  /** Longest wait in our own ms: silence is cut to it. `Infinity` cuts none. */
  readonly longestMs: number;
}

/** Timers cannot hold much more than three weeks: a longer sleep is one after the other. */
const LONGEST_SLEEP = 3_600_000;

/** A pace that starts at the first moment it is asked to wait for. */
export function createPace({ clock, speed: first, longestMs }: PaceOptions): Pace {
  let speed = first;
  let isPaused = false;
  let isHurrying = false;
  let isQuit = false;
  let change = new AbortController();
  /** From here on the run's time goes `rate` times as fast as ours, up to `target`. */
  let leg = { real: 0, run: 0, rate: 0, target: Number.NEGATIVE_INFINITY };

  const now = () => Math.min(leg.target, leg.run + (clock.now() - leg.real) * leg.rate);

  function head(target: number, rate: number): void {
    leg = { real: clock.now(), run: now(), rate, target };
  }

  function changed(): void {
    // What went by so far went by at the old pace.
    head(leg.target, 0);
    change.abort();
    change = new AbortController();
  }

  async function until(epochMs: number): Promise<void> {
    if (leg.target === Number.NEGATIVE_INFINITY) leg = { real: clock.now(), run: epochMs, rate: 0, target: epochMs };
    while (!isQuit && (isPaused || (!isHurrying && speed !== Number.POSITIVE_INFINITY && now() < epochMs))) {
      const left = epochMs - now();
      const waitMs = Math.min(left / speed, longestMs);
      head(epochMs, isPaused ? 0 : left / waitMs);
      await clock.sleep(isPaused ? LONGEST_SLEEP : Math.min(waitMs, LONGEST_SLEEP), change.signal);
    }
    leg = { real: clock.now(), run: epochMs, rate: 0, target: epochMs };
  }

  return {
    now,
    until,
    speed: () => speed,
    setSpeed(next) {
      speed = next;
      changed();
    },
    paused: () => isPaused,
    setPaused(next) {
      isPaused = next;
      changed();
    },
    hurry() {
      isHurrying = true;
      isPaused = false;
      changed();
    },
    arrive() {
      isHurrying = false;
    },
    quit() {
      isQuit = true;
      changed();
    },
    hasQuit: () => isQuit,
  };
}
