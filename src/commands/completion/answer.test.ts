import { expect, test } from 'vitest';
import { backlogText, freshRepository } from '../../../test/support/command-repository.ts';

test('ids of the project, with what they mean', async () => {
  const repo = await freshRepository({ 'ralph/tasks.json': backlogText });
  const { code, out } = await repo.ralph('completion', '--complete', '--', 'stories', 'show', 'US-00');
  expect({ code, out }).toEqual({
    code: 0,
    out: 'US-001\tAdd items\nUS-002\tSum up\nUS-003\tGive change\nUS-004\tPrint a receipt\n',
  });
  expect((await repo.ralph('completion', '--complete', '--', 'run', '--rollback=ne')).out).toBe('--rollback=never\n');
  expect((await repo.ralph('completion', '--complete', '--', 'config', 'set', 'dirty', '')).out).toBe(
    'refuse\nstash\nkeep\n',
  );
});

test('silent where nothing is known', async () => {
  const repo = await freshRepository({ 'ralph/tasks.json': '{ broken' });
  for (const line of [
    ['stories', 'show', ''],
    ['rescue', 'show', ''],
    ['report', ''],
    ['stories', 'waive', 'US-001', ''],
    ['stories', 'show', '-d', '/nowhere', ''],
    [],
  ])
    expect(await repo.ralph('completion', '--complete', '--', ...line)).toMatchObject({ code: 0, err: '' });
});

test('names that a shell would read as more than a word are left out', async () => {
  const hostile = ['$(touch x)', '`touch x`', 'a;b', "a'b", '-rf', '~root', 'a b', 'a\\b', 'a\nb', '\u001b[31mred'];
  const backlog = JSON.parse(backlogText);
  backlog.userStories = [...hostile, 'ok-1'].map((id) => ({ ...backlog.userStories[2], id, title: 'x\ty\u001b[2J' }));
  const repo = await freshRepository({ 'ralph/tasks.json': JSON.stringify(backlog) });
  const { out } = await repo.ralph('completion', '--complete', '--', 'stories', 'show', '');
  expect(['ok-1\tx y\n', '']).toContain(out);
});

test('an unknown shell is refused with the nearest one', async () => {
  const repo = await freshRepository();
  const { code, err } = await repo.ralph('completion', 'bsh');
  expect(code).toBe(2);
  expect(err).toContain("there are no completions for 'bsh'; did you mean bash?");
});
