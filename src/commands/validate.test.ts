import { expect, test } from 'vitest';
import { backlogText, freshRepository } from '../../test/support/command-repository.ts';

test('ralph validate ends with 0 for a good backlog', async () => {
  const repo = await freshRepository({ 'ralph/tasks.json': backlogText });
  const { code, out } = await repo.ralph('validate');
  expect(code).toBe(0);
  expect(out).toContain('✓ ralph/tasks.json: 4 stories, 0 errors');
});

test('ralph validate names every problem with file, line and fix', async () => {
  const repo = await freshRepository({ 'ralph/tasks.json': backlogText.replace('"US-004"', '"US-003"') });
  const { code, out } = await repo.ralph('validate');
  expect(code).toBe(2);
  expect(out).toMatch(/^ralph\/tasks\.json:\d+: error: .*US-003.*\n {4}fix: /m);
  expect((await repo.ralph('stories')).code).toBe(2);
  const status = await repo.ralph('status');
  expect(status.code).toBe(0);
  expect(status.out).toContain('next: ralph validate');
});

test('ralph validate --plan prints remarks behind the problems, and they keep nothing from being valid', async () => {
  const repo = await freshRepository({ 'ralph/tasks.json': backlogText });
  const { code, out } = await repo.ralph('validate', '--plan');
  expect(code).toBe(0);
  expect(out).toMatch(/✓ ralph\/tasks\.json: 4 stories.*\n\nThe plan: \d+ remarks?\. .*prevent a run\.\n/);
  expect(out).toMatch(/^ralph\/tasks\.json:\d+: warning: US-003: .* \[criteria\/vague\]\n {4}better: /m);
  const { remarks, problems } = JSON.parse((await repo.ralph('validate', '--plan', '--json')).out);
  expect(problems).toEqual([]);
  expect(remarks).toContainEqual(
    expect.objectContaining({ rule: 'criteria/vague', story: 'US-003', severity: 'warning' }),
  );
  expect(JSON.parse((await repo.ralph('validate', '--json')).out)).not.toHaveProperty('remarks');
});

test('ralph validate --plan of a backlog that cannot be read prints its problems alone', async () => {
  const repo = await freshRepository({ 'ralph/tasks.json': '{' });
  const { code, out } = await repo.ralph('validate', '--plan');
  expect(code).toBe(2);
  expect(out).not.toContain('The plan');
  expect(out).not.toContain('no remarks');
});
