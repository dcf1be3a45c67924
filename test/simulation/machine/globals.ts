import { machine } from './machine.ts';
import type { Timer } from './time.ts';

/** Whoever looks once a second or oftener looks that seldom here: hours pass in which there is nothing to see. */
export const SELDOM_MS = 30_000;

/** From here on time and chance are those of the simulated machine, for everything in this process. */
export function takeOverGlobals(): void {
  const wait =
    (every: boolean) =>
    (run: (...args: unknown[]) => void, ms = 0, ...args: unknown[]) =>
      every
        ? machine()
            .time.start(() => run(...args), Math.max(ms, SELDOM_MS), Math.max(ms, SELDOM_MS))
            .unref()
        : machine().time.start(() => run(...args), ms);
  const stop = (timer: Timer | undefined) => timer && machine().time.stop(timer);
  Object.assign(globalThis, {
    setTimeout: wait(false),
    setInterval: wait(true),
    clearTimeout: stop,
    clearInterval: stop,
  });
  Date.now = () => machine().time.now();
  Math.random = () => machine().random.next();
}
