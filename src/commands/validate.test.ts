import { expect, test } from 'vitest';
import { backlogText, freshRepository } from '../../test/support/command-repository.ts';

test('ralph validate ends with 0 for a good backlog', async () => {
  const repo = await freshRepository({ 'ralph/tasks.json': backlogText });
  const { code, out } = await repo.ralph('validate');
  expect(code).toBe(0);
  expect(out).toContain('✓ ralph/tasks.json: 4 stories, 0 errors');
});

test('ralph validate names every problem with file, line and mend', async () => {
  const repo = await freshRepository({ 'ralph/tasks.json': backlogText.replace('"US-004"', '"US-003"') });
  const { code, out } = await repo.ralph('validate');
  expect(code).toBe(2);
  expect(out).toMatch(/^ralph\/tasks\.json:\d+: error: .*US-003.*\n {4}mend: /m);
  expect((await repo.ralph('stories')).code).toBe(2);
  const status = await repo.ralph('status');
  expect(status.code).toBe(0);
  expect(status.out).toContain('next: ralph validate');
});
