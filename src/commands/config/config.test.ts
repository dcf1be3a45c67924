import { expect, test } from 'vitest';
import { freshRepository } from '../../../test/support/command-repository.ts';

test('ralph config tells values and their sources', async () => {
  const repo = await freshRepository();
  expect((await repo.ralph('config')).out).toMatch(/^maxIterations +15 +default$/m);
  expect((await repo.ralph('config', 'get', 'reviewCap')).out).toBe('5\n');
  expect((await repo.ralph('config', 'get', 'maxIteration')).err).toContain(
    "there is no setting 'maxIteration'; did you mean maxIterations?",
  );
  expect((await repo.ralph('config', 'get', 'checks')).err).toContain('it holds checks.timeout');
});
