import type { Entry } from './pages.ts';

/** The part of the log that the page holds: a stretch of it without gaps, but for what the filter leaves out. */
export interface Window {
  /** In file order. */
  readonly events: readonly Entry[];
  /** Whether more lies before the first, and behind the last. */
  readonly moreBefore: boolean;
  readonly moreAfter: boolean;
  /** The line from which to look on forwards. */
  readonly after: number;
}

/** Events that a page holds at once: a few screens. The page's size stays the same however long the log is. */
export const HELD = 240;

export const NOTHING: Window = { events: [], moreBefore: false, moreAfter: false, after: 0 };

/** Adds what comes before; lets go of the end when it gets too much. */
export function prepend(window: Window, events: readonly Entry[], more: boolean): Window {
  const all = [...events, ...window.events];
  if (all.length <= HELD) return { ...window, events: all, moreBefore: more };
  const kept = all.slice(0, HELD);
  return { events: kept, moreBefore: more, moreAfter: true, after: lineBehind(kept, window.after) };
}

/**
 * Adds what comes behind; lets go of the beginning when it gets too much.
 * @param after the line from which to look on
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

/** The line before which to look on backwards. */
export function lineBefore(window: Window): number {
  return window.events[0]?.[0] ?? window.after;
}

function lineBehind(events: readonly Entry[], otherwise: number): number {
  const last = events.at(-1);
  return last === undefined ? otherwise : last[0] + 1;
}
