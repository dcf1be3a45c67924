import { expect, test } from 'vitest';
import { makeRepository } from '../../../test/support/git-repository.ts';

test.each([
  ['nonsense', 'echo nonsense > .git/index'],
  ['nothing', ': > .git/index'],
  ['a folder', 'rm .git/index && mkdir .git/index'],
])('an index that an agent made %s is again what the user had staged', async (_, spoil) => {
  const repo = await makeRepository();
  repo.write('staged.txt', 'mine\n');
  repo.run('add', 'staged.txt');
  const checkpoint = await repo.git.checkpoint('main');
  repo.write('work.txt', 'of the agent\n');
  repo.sh(spoil);
  const after = await repo.git.after(checkpoint);
  expect(after.changed).toEqual([{ path: 'work.txt', status: 'added' }]);
  expect(repo.run('status', '--porcelain')).toBe('A  staged.txt\n?? work.txt\n');
});

test('an index that an agent changed as git does stays for the roll-back', async () => {
  const repo = await makeRepository();
  const checkpoint = await repo.git.checkpoint('main');
  repo.write('work.txt', 'of the agent\n');
  repo.run('add', 'work.txt');
  await repo.git.after(checkpoint);
  expect(repo.run('status', '--porcelain')).toBe('A  work.txt\n');
});
