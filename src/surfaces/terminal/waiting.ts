import type { WaitReason } from '../../contracts/index.ts';
import { clockTime, countdown, elapsed, oneLine } from '../../rules/text/index.ts';

export interface ShownWait {
  readonly why: WaitReason;
  /** Epoch ms; null until a person ends it. */
  readonly until: number | null;
  /** What it waits for, in the gate's words. */
  readonly text: string;
}

/** How long, until when and what for. Pure. */
export function waitText({ until, text }: ShownWait, now: number): string {
  if (until === null) return oneLine(text);
  return `${wholeSeconds(until - now)}, until ${clockTime(until, now)}: ${oneLine(text)}`;
}

/** The time left: `00:00:17 until 03:12:27`. Pure. */
export function timeLeft({ until }: Pick<ShownWait, 'until'>, now: number): string {
  return until === null ? 'paused; ralph resume continues' : `${countdown(until - now)} until ${clockTime(until, now)}`;
}

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const LONG = 15 * MINUTE;

/**
 * Milliseconds until a log without a live line should report the time left again: rarely while it is long, every ten
 * seconds in the last minute, always at a round figure. null when nothing is left. Pure.
 */
export function nextTold(left: number | null): number | null {
  if (left === null) return LONG;
  // A timer that fires a millisecond early must not report the same figure twice.
  const seconds = roundSeconds(left);
  if (seconds <= 0) return null;
  const step = seconds <= MINUTE ? 10 * SECOND : seconds <= HOUR ? MINUTE : LONG;
  const next = (Math.ceil(seconds / step) - 1) * step;
  return left - next;
}

/** Tenths of a second do not matter in a wait. */
function wholeSeconds(ms: number): string {
  const rounded = roundSeconds(Math.max(0, ms));
  return rounded < MINUTE ? `${rounded / SECOND}s` : elapsed(rounded);
}

function roundSeconds(ms: number): number {
  return Math.round(ms / SECOND) * SECOND;
}
