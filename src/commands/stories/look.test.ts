import { afterAll, beforeAll, expect, test } from 'vitest';
import { backlogText, makeRepository, type Repository } from '../../../test/support/command-repository.ts';

let repo: Repository;
beforeAll(async () => {
  repo = await makeRepository({ 'ralph/tasks.json': backlogText });
});
afterAll(() => repo.remove());

test('ralph stories lists every story with its state', async () => {
  const { code, out, err } = await repo.ralph('stories');
  expect({ code, err }).toEqual({ code: 0, err: '' });
  expect(out).toMatchInlineSnapshot(`
    "story   state         prio  reviews  after   title
    US-001  done             1        1  -       Add items
    US-002  needs review     2        -  -       Sum up
    US-003  to do            3        -  -       Give change
    US-004  to do            4        -  US-003  Print a receipt

    4 stories, 1 done (ralph/tasks.json)
    "
  `);
});

test('ralph stories list --json has the stories as data', async () => {
  const { stories } = JSON.parse((await repo.ralph('stories', 'list', '--json')).out);
  expect(stories.map((story: { id: string; state: string }) => `${story.id} ${story.state}`)).toEqual([
    'US-001 done',
    'US-002 needs review',
    'US-003 to do',
    'US-004 to do',
  ]);
});

test('ralph stories show tells all there is to know of a story', async () => {
  expect((await repo.ralph('stories', 'show', 'US-004')).out).toMatchInlineSnapshot(`
    "US-004 Print a receipt
      to do · priority 4 · 0 reviews · after US-003 · ralph/tasks.json:54

    Description
      As a cashier I want to print a receipt.

    Acceptance criteria
      - Print a receipt works
    "
  `);
});

test('an unknown story ends with 2 and the nearest id', async () => {
  const { code, err } = await repo.ralph('stories', 'show', 'US-04');
  expect(code).toBe(2);
  expect(err).toContain("there is no story 'US-04'; did you mean US-004?");
});

test('ralph stories next names mode and story, also as --skip-review would choose', async () => {
  expect((await repo.ralph('stories', 'next')).out).toBe('review · US-002 Sum up\n');
  expect((await repo.ralph('stories', 'next', '--skip-review')).out).toBe('run the checks · US-002 Sum up\n');
  expect(JSON.parse((await repo.ralph('stories', 'next', '--json')).out)).toMatchObject({
    kind: 'work',
    mode: 'review',
    story: { id: 'US-002' },
  });
});
