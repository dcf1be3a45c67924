import type { StopReason } from '../../contracts/agent.ts';
import type { Clock } from '../../platform/clock.ts';

/** Timers overflow at 2^31 ms; waking up once a day to look again costs nothing. */
const LONGEST_SLEEP_MS = 24 * 3_600_000;

export interface WatchOptions {
  readonly clock: Clock;
  /** Longest life of the process, milliseconds. */
  readonly timeoutMs: number;
  /** Longest silence, milliseconds. */
  readonly idleTimeoutMs: number;
  /** Aborted by the loop; its reason is a {@link StopReason}. */
  readonly signal: AbortSignal;
  /** Aborted when there is nothing left to watch. */
  readonly ended: AbortSignal;
  /** Epoch milliseconds of the last sign of life. */
  readonly lastLife: () => number;
}

/**
 * Waits until the agent must be stopped and says why; null when it ended before that. Sleeps until the nearest
 * deadline instead of re-arming a timer per chunk of output.
 */
export async function reasonToStop(options: WatchOptions): Promise<StopReason | null> {
  const { clock, signal, ended } = options;
  const startedAt = clock.now();
  const wake = AbortSignal.any([signal, ended]);
  while (!ended.aborted) {
    if (signal.aborted) return stopReasonOf(signal);
    const now = clock.now();
    const lifeLeft = startedAt + options.timeoutMs - now;
    const silenceLeft = options.lastLife() + options.idleTimeoutMs - now;
    if (lifeLeft <= 0) return 'timeout';
    if (silenceLeft <= 0) return 'idle-timeout';
    await clock.sleep(Math.min(lifeLeft, silenceLeft, LONGEST_SLEEP_MS), wake);
  }
  return null;
}

const STOP_REASONS: readonly string[] = [
  'timeout',
  'idle-timeout',
  'interrupted',
  'terminated',
  'stopped',
  'budget',
] satisfies StopReason[];

/** The reason an abort carries; an abort without one of ours counts as an interrupt. */
export function stopReasonOf(signal: AbortSignal): StopReason {
  return STOP_REASONS.includes(signal.reason) ? (signal.reason as StopReason) : 'interrupted';
}
