import { expect, test } from 'vitest';
import { chooseIsolation } from './index.ts';

test('without isolation a command stays as it is', () => {
  const command = { file: 'agent', args: ['-p'], cwd: '/project', env: { A: '1' } };
  expect(chooseIsolation().wrap(command)).toEqual(command);
});

test('that nothing isolates is said plainly', async () => {
  const isolation = chooseIsolation();
  expect(isolation.name).toBe('none');
  expect(await isolation.probe()).toEqual({
    available: true,
    detail: expect.stringContaining('no isolation: agents run with your own rights'),
  });
});
