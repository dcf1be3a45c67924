/** Lets so many through at once, and after that so many a second. */
export interface Throttle {
  /** Takes one. @returns 0 when it may pass, else the whole seconds to wait */
  readonly take: () => number;
}

export function openThrottle(
  limits: { readonly burst: number; readonly perSecond: number },
  now: () => number,
): Throttle {
  let left = limits.burst;
  let at = now();
  return {
    take() {
      const moment = now();
      // A clock that was set back gives nothing and takes nothing.
      left = Math.min(limits.burst, left + (Math.max(0, moment - at) / 1000) * limits.perSecond);
      at = moment;
      if (left < 1) return Math.ceil((1 - left) / limits.perSecond);
      left -= 1;
      return 0;
    },
  };
}
