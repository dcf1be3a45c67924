import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  backlogText,
  freshRepository,
  makeRepository,
  type Repository,
} from '../../test/support/command-repository.ts';

let repo: Repository;
beforeAll(async () => {
  repo = await makeRepository({ 'ralph/tasks.json': backlogText });
});
afterAll(() => repo.remove());

test('ralph status tells where it stands and what comes next', async () => {
  const { code, out } = await repo.ralph('status');
  expect(code).toBe(0);
  expect(out.replace(/^project .*$/m, 'project …')).toMatchInlineSnapshot(`
    "project …
    spec     ralph
    run      none yet
    stories  4 stories · 1 done · 1 needs review · 2 to do
    up next  review · US-002 Sum up

    next: ralph run --dry-run  the plan and the prompt; then ralph run
    "
  `);
});

test('bare ralph is the same as ralph status', async () => {
  expect(await repo.ralph()).toEqual(await repo.ralph('status'));
});

test('ralph status --json is data', async () => {
  expect(JSON.parse((await repo.ralph('status', '--json')).out)).toMatchObject({
    branch: 'main',
    run: null,
    stories: { total: 4, done: 1 },
    next: { command: 'ralph run --dry-run' },
  });
});

test('without a spec folder bare ralph welcomes, the other commands end with 2 and name ralph init', async () => {
  const empty = await freshRepository();
  const home = await empty.ralph();
  expect(home.code).toBe(0);
  expect(home.out).toContain('ralph init');
  expect(home.out).toContain('ralph demo');
  for (const line of [['status'], ['stories'], ['validate']]) {
    const { code, err } = await empty.ralph(...line);
    expect(code).toBe(2);
    expect(err).toContain('ralph init');
  }
});
