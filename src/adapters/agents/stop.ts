import type { StopReason } from '../../contracts/index.ts';
import { type Clock, followSignals } from '../../platform/index.ts';

/** Timers overflow at 2^31 ms; waking up once a day to check again costs nothing. */
const LONGEST_SLEEP_MS = 24 * 3_600_000;

interface WatchOptions {
  readonly clock: Clock;
  /** Longest lifetime of the process, milliseconds. */
  readonly timeoutMs: number;
  /** Longest silence, milliseconds. */
  readonly idleTimeoutMs: number;
  /** Aborted by the loop; its reason is a {@link StopReason}. */
  readonly signal: AbortSignal;
  /** Aborted when there is nothing left to watch. */
  readonly ended: AbortSignal;
  /** Epoch milliseconds of the last output. */
  readonly lastLife: () => number;
}

/**
 * Waits until the agent must be stopped and says why; null when it ended before that. Sleeps until the nearest deadline
 * instead of re-arming a timer per chunk of output. Time slept counts as passed even when the clock disagrees: an agent
 * does not live longer because a person set the clock back.
 */
export async function reasonToStop(options: WatchOptions): Promise<StopReason | null> {
  const wake = followSignals(options.signal, options.ended);
  return watch(options, wake.signal).finally(wake.forget);
}

async function watch(options: WatchOptions, wake: AbortSignal): Promise<StopReason | null> {
  const { clock, signal, ended, timeoutMs, idleTimeoutMs } = options;
  let at = clock.now();
  let life = options.lastLife();
  let lived = 0;
  let silent = Math.max(0, at - life);
  while (!ended.aborted) {
    if (signal.aborted) return stopReasonOf(signal);
    if (lived >= timeoutMs) return 'timeout';
    if (silent >= idleTimeoutMs) return 'idle-timeout';
    const sleepMs = Math.min(timeoutMs - lived, idleTimeoutMs - silent, LONGEST_SLEEP_MS);
    await clock.sleep(sleepMs, wake);
    const now = clock.now();
    const passed = Math.max(sleepMs, now - at);
    const wasSilent = options.lastLife() === life;
    life = options.lastLife();
    lived += passed;
    silent = wasSilent ? silent + passed : Math.min(passed, Math.max(0, now - life));
    at = now;
  }
  return null;
}

const STOP_REASONS: ReadonlySet<unknown> = new Set<StopReason>([
  ...(['timeout', 'idle-timeout', 'interrupted', 'terminated', 'stopped', 'budget'] as const),
]);

/** The reason an abort carries; an abort without such a reason counts as an interrupt. */
export function stopReasonOf(signal: AbortSignal): StopReason {
  return STOP_REASONS.has(signal.reason) ? (signal.reason as StopReason) : 'interrupted';
}
