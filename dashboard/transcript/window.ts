import type { Entry } from './pages.ts';

/** The part of the log that the page holds: a range without gaps, except for what the filter leaves out. */
export interface Window {
  /** In file order. */
  readonly events: readonly Entry[];
  /** Whether there is more before the first, and after the last. */
  readonly moreBefore: boolean;
  readonly moreAfter: boolean;
  /** The line from which to read on forwards. */
  readonly after: number;
}

/** Events that a page holds at once: a few screens. The page's size stays the same however long the log is. */
export const HELD = 240;

export const NOTHING: Window = { events: [], moreBefore: false, moreAfter: false, after: 0 };

/** Adds events at the beginning; drops the end when there are too many. */
export function prepend(window: Window, events: readonly Entry[], more: boolean): Window {
  const all = [...events, ...window.events];
  if (all.length <= HELD) return { ...window, events: all, moreBefore: more };
  const kept = all.slice(0, HELD);
  return { events: kept, moreBefore: more, moreAfter: true, after: lineBehind(kept, window.after) };
}

/**
 * Adds events at the end; drops the beginning when there are too many.
 * @param after the line from which to read on
 */
export function append(window: Window, events: readonly Entry[], more: boolean, after: number): Window {
  const all = [...window.events, ...events];
  const kept = all.slice(-HELD);
  return {
    events: kept,
    moreBefore: window.moreBefore || kept.length < all.length,
    moreAfter: more,
    after: Math.max(after, lineBehind(kept, window.after)),
  };
}

/** The line before which to read on backwards. */
export function lineBefore(window: Window): number {
  return window.events[0]?.[0] ?? window.after;
}

function lineBehind(events: readonly Entry[], otherwise: number): number {
  const last = events.at(-1);
  return last === undefined ? otherwise : last[0] + 1;
}
