import { expect, test } from 'vitest';
import { freshRepository } from '../../test/support/command-repository.ts';
import { openEventLog } from '../adapters/workspace/events.ts';
import { smallRun } from '../surfaces/terminal/events.fixture.ts';

test('ralph log without a run says how to start one', async () => {
  const repo = await freshRepository();
  expect(await repo.ralph('log')).toEqual({ code: 0, out: 'no run yet; start one with: ralph run\n', err: '' });
  expect((await repo.ralph('log', '--run', 'x')).code).toBe(2);
});

test('ralph log tells the last run, and one iteration in full', async () => {
  const repo = await freshRepository();
  const log = await openEventLog(repo.root, '20260101-100000-abcd', {
    now: () => Date.UTC(2026, 0, 1),
    sleep: async () => {},
  });
  for (const { ts: _, run: __, iteration, ...body } of smallRun)
    log.emit(iteration, body as Parameters<typeof log.emit>[1]);
  log.close();
  expect((await repo.ralph('log')).out).toContain('1  implement  US-001  rejected');
  const { out } = await repo.ralph('log', '1');
  expect(out).toMatch(/^\[1\/15\] implement · US-001 Add login\n/);
  expect(out).toContain('tool      Bash npm test');
  expect(out).toContain('.ralph/runs/20260101-100000-abcd/1.log');
  expect(JSON.parse((await repo.ralph('log', '2', '--json')).out)[0]).toMatchObject({ type: 'select', iteration: 2 });
  expect((await repo.ralph('log', '9')).err).toContain('it has 1 to 2');
});
