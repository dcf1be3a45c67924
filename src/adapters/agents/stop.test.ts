import { describe, expect, it } from 'vitest';
import type { Clock } from '../../platform/index.ts';
import { reasonToStop, stopReasonOf } from './stop.ts';

type WatchOptions = Parameters<typeof reasonToStop>[0];

/** A clock on which time passes only by sleeping. */
function fakeClock(onSleep: (now: number) => void = () => undefined): Clock & { slept: number[] } {
  let now = 1_000;
  const slept: number[] = [];
  return {
    slept,
    now: () => now,
    sleep: async (ms) => {
      slept.push(ms);
      now += ms;
      onSleep(now);
    },
  };
}

const watch = (options: Partial<WatchOptions> & { clock: Clock }) =>
  reasonToStop({
    timeoutMs: 10_000,
    idleTimeoutMs: 1_000,
    signal: new AbortController().signal,
    ended: new AbortController().signal,
    lastLife: () => 1_000,
    ...options,
  });

describe('reasonToStop', () => {
  it('is the idle timeout after a silence, without waking up in between', async () => {
    const clock = fakeClock();
    expect(await watch({ clock })).toBe('idle-timeout');
    expect(clock.slept).toEqual([1_000]);
  });

  it('is the timeout for an agent that never falls silent', async () => {
    const clock = fakeClock();
    expect(await watch({ clock, lastLife: () => clock.now() })).toBe('timeout');
  });

  it('comes in time although somebody sets the clock back meanwhile', async () => {
    const back = 3_600_000;
    const slept: number[] = [];
    let now = 10 * back;
    const clock: Clock = {
      now: () => now,
      sleep: async (ms) => {
        slept.push(ms);
        now += ms - (slept.length === 1 ? back : 0);
      },
    };
    const life = now;
    expect(await watch({ clock, lastLife: () => life })).toBe('idle-timeout');
    expect(slept).toEqual([1_000]);
  });

  it('counts the life of an agent that goes on talking after the clock was set back', async () => {
    const back = 3_600_000;
    let now = 10 * back;
    let passed = 0;
    const clock: Clock = {
      now: () => now,
      sleep: async (ms) => {
        passed += ms;
        now += ms - (passed === 3_000 ? back : 0);
      },
    };
    expect(await watch({ clock, lastLife: () => now })).toBe('timeout');
    expect(passed).toBe(10_000);
  });

  it('is what the loop aborted with', async () => {
    const stop = new AbortController();
    const clock = fakeClock(() => stop.abort('budget'));
    expect(await watch({ clock, signal: stop.signal })).toBe('budget');
  });

  it('is none when the agent ended first', async () => {
    const end = new AbortController();
    const clock = fakeClock(() => end.abort());
    expect(await watch({ clock, ended: end.signal })).toBeNull();
  });

  it('never sleeps longer than a timer can', async () => {
    const clock = fakeClock();
    await watch({ clock, timeoutMs: 2 ** 40, idleTimeoutMs: 2 ** 39 });
    expect(Math.max(...clock.slept)).toBeLessThan(2 ** 31);
  });
});

it('stopReasonOf takes an abort without a known reason for an interrupt', () => {
  expect(stopReasonOf(AbortSignal.abort())).toBe('interrupted');
  expect(stopReasonOf(AbortSignal.abort('terminated'))).toBe('terminated');
});
