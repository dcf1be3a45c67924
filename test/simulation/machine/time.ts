/** A timer of the simulated machine, as `setTimeout` gives it. */
export interface Timer {
  at: number;
  readonly order: number;
  readonly run: () => void;
  /** Milliseconds between two calls; null: it rings once. */
  readonly every: number | null;
  isAwaited: boolean;
  unref(): Timer;
  ref(): Timer;
}

/**
 * Time as the simulated machine has it: it stands still while anything can be done, and then jumps to the next timer.
 * What people set on the clock (`jump`) is the wall time alone; timers go by the time that has really passed.
 */
export class Time {
  /** Milliseconds since the machine was made. */
  passed = 0;
  #wallAhead: number;
  #timers: Timer[] = [];
  #order = 0;

  constructor(start: number) {
    this.#wallAhead = start;
  }

  /** Epoch milliseconds. */
  now(): number {
    return Math.floor(this.passed + this.#wallAhead);
  }

  /** Somebody sets the clock. @param ms forwards, or backwards when negative */
  jump(ms: number): void {
    this.#wallAhead += ms;
  }

  start(run: () => void, ms: number, every: number | null = null): Timer {
    const wait = Number.isFinite(ms) ? Math.max(ms, 1) : 1;
    const timer: Timer = {
      at: this.passed + wait,
      order: this.#order++,
      run,
      every: every === null ? null : Math.max(every, 1),
      isAwaited: true,
      unref: () => Object.assign(timer, { isAwaited: false }),
      ref: () => Object.assign(timer, { isAwaited: true }),
    };
    this.#timers.push(timer);
    return timer;
  }

  stop(timer: unknown): void {
    const at = this.#timers.indexOf(timer as Timer);
    if (at >= 0) this.#timers.splice(at, 1);
  }

  /** Nothing rings any more: the process is gone. */
  stopAll(): void {
    this.#timers = [];
  }

  /**
   * Lets the next timer ring. One that rings again and again is late after a long sleep, and then rings once.
   * @returns false when nobody waits for any
   */
  ring(): boolean {
    if (!this.#timers.some(({ isAwaited }) => isAwaited)) return false;
    let next: Timer | undefined;
    for (const timer of this.#timers) {
      if (!next || timer.at < next.at || (timer.at === next.at && timer.order < next.order)) next = timer;
    }
    if (!next) return false;
    this.passed = Math.max(this.passed, next.at);
    if (next.every === null) this.stop(next);
    else next.at = this.passed + next.every;
    next.run();
    return true;
  }
}
