import { expect, test } from 'vitest';
import { backlogText, freshRepository } from '../../../test/support/command-repository.ts';

test.each([['status'], ['stories'], ['log'], ['dashboard', '--port', '0'], ['pause']])(
  '%s says of a --project-dir that is none what is wrong with it',
  async (...line) => {
    const repo = await freshRepository({ 'ralph/tasks.json': backlogText });
    const missing = await repo.ralph(...line, '--project-dir', 'nope');
    expect([missing.code, missing.err]).toEqual([
      2,
      expect.stringMatching(/^Error: the folder that --project-dir names does not exist\n {2}where: \S+\/nope\n/),
    ]);
    const file = await repo.ralph(...line, '--project-dir', 'ralph/tasks.json');
    expect([file.code, file.err]).toEqual([2, expect.stringContaining('--project-dir does not name a folder')]);
  },
);

test('a dashboard on no address is refused: it would be on every interface', async () => {
  const repo = await freshRepository({ 'ralph/tasks.json': backlogText });
  for (const host of ['', ' ']) {
    const { code, err } = await repo.ralph('dashboard', '--port', '0', '--host', host);
    expect([code, err]).toEqual([2, expect.stringContaining('--host does not take')]);
  }
});
