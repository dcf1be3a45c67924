import { describe, expect, it } from 'vitest';
import { type Patience, withPatience } from './patience.ts';

describe('withPatience', () => {
  it('tries again after longer and longer pauses, and tells of each', async () => {
    const { patience, pauses } = scene(60_000);
    let tries = 0;
    const result = await withPatience(async () => {
      if (++tries < 4) throw new Error('cut');
      return 'there';
    }, patience);
    expect(result).toBe('there');
    expect(pauses).toEqual([1000, 2000, 4000]);
  });

  it('gives up when its time is over', async () => {
    const { patience, pauses } = scene(10_000);
    await expect(withPatience(() => Promise.reject(new Error('cut')), patience)).rejects.toThrow('cut');
    expect(pauses).toEqual([1000, 2000, 4000]);
  });

  it('does not try again what will not go better', async () => {
    const { patience, pauses } = scene(60_000);
    await expect(withPatience(() => Promise.reject(new Error('denied')), patience)).rejects.toThrow('denied');
    expect(pauses).toEqual([]);
  });

  it('does not try again for a turn that was ended', async () => {
    const { patience, pauses, ending } = scene(60_000);
    ending.abort('stopped');
    await expect(withPatience(() => Promise.reject(new Error('cut')), patience)).rejects.toThrow('cut');
    expect(pauses).toEqual([]);
  });
});

function scene(patienceMs: number) {
  let now = 0;
  const pauses: number[] = [];
  const ending = new AbortController();
  const patience: Patience = {
    clock: {
      now: () => now,
      sleep: async (ms) => {
        now += ms;
      },
    },
    patienceMs,
    isTransient: (error) => error instanceof Error && error.message === 'cut',
    onPause: (_error, ms) => pauses.push(ms),
    signal: ending.signal,
  };
  return { patience, pauses, ending };
}
