import { expect, test } from 'vitest';
import { backlogText, freshRepository } from '../../../test/support/command-repository.ts';

test('ralph doctor names what keeps a run from starting, with the exit code of the worst', async () => {
  const repo = await freshRepository();
  const without = await repo.ralph('doctor', '--agent', 'scripted');
  expect(without.code).toBe(2);
  expect(without.out).toMatch(/✗ spec folder .*\n +mend: .*ralph init/);
  await repo.write('ralph/tasks.json', backlogText);
  await repo.write('ralph.config.json', '{"claude":{"command":"/nowhere/claude"}}');
  const agent = await repo.ralph('doctor', '--agent', 'claude');
  expect(agent.code).toBe(7);
  expect(agent.out).toContain('✗ agent claude');
  expect(agent.out).toMatch(/! isolation none +no isolation/);
});
