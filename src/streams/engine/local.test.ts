import { expect, test } from 'vitest';
import { engineContract } from './contract.fixture.ts';
import { DEFAULTS, done, report } from './contract-support.fixture.ts';
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
