import { expect, test, vi } from 'vitest';
import { engineContract } from './contract.fixture.ts';
import { DEFAULTS, done, NO_LIMITS, NOTHING, report } from './contract-support.fixture.ts';
import { openLocalEngine } from './local.ts';

engineContract('the scheduler in this process', async (options) => openLocalEngine(options));

test('a stream that is cancelled by the first step of another turn has none', async () => {
  const engine = openLocalEngine({ ...DEFAULTS, capacity: 2 });
  await engine.submit({ stream: 'a', task: null });
  await engine.submit({ stream: 'b', task: null });
  const taken: string[] = [];
  await engine.work(async ({ stream }) => {
    taken.push(stream);
    if (stream === 'a') await engine.cancel('b');
    return report(done());
  });
  expect(taken).toEqual(['a']);
  expect((await engine.status()).map(({ state }) => state)).toEqual(['done', 'cancelled']);
  await engine.close();
});

test.each([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12])(
  'no stream is left when the hour has room again at tick %i',
  async (tick) => {
    const start = Date.now();
    let ticks = 0;
    const clock = vi.spyOn(Date, 'now').mockImplementation(() => start + ++ticks);
    try {
      const before = start + tick - 60 * 60_000;
      const limits = { ...NO_LIMITS, calls: 1 };
      const engine = openLocalEngine({
        ...DEFAULTS,
        limits,
        usedBefore: async () => ({ ...NOTHING, calls: [before] }),
      });
      await engine.submit({ stream: 'a', task: null });
      await engine.work(async () => report(done()));
      expect((await engine.status()).map(({ state }) => state)).toEqual(['done']);
      await engine.close();
    } finally {
      clock.mockRestore();
    }
  },
);
