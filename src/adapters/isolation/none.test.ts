import { expect, test } from 'vitest';
import { noIsolation } from './none.ts';

test('without isolation a command stays as it is', async () => {
  const command = { file: 'agent', args: ['-p'], cwd: '/project', env: { A: '1' } };
  expect(await noIsolation().wrap({ ...command, mounts: [] })).toEqual({ ...command, end: expect.any(Function) });
});

test('that nothing isolates is said plainly, and nothing is claimed', async () => {
  expect(await noIsolation().probe()).toEqual({
    available: true,
    detail: expect.stringContaining('no isolation: agents run with your own rights'),
    mend: [],
    claims: [],
  });
});
