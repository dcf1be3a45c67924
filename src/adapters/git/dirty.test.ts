import { statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { accept, makeRepository, type Repository } from '../../../test/support/git-repository.ts';
import { openGit } from './open.ts';

const fileOf = (repo: Repository, path: string, named = true) => {
  const { dev, ino } = statSync(`${repo.root}/${path}`, { bigint: true });
  return { dev, ino, path: named ? join(repo.root, path) : null };
};

test.each([true, false])(
  'what is left out is in no snapshot, and no rollback touches it (named: %s)',
  async (named) => {
    const repo = await makeRepository({ 'a.txt': 'one\n', '.gitignore': '!*.log\n' });
    repo.write('dir/odd [name].log', 'first\n');
    // The snapshots know it already.
    await repo.git.checkpoint('main');
    const told = await repo.git.leaveOut([fileOf(repo, 'dir/odd [name].log', named)], false);
    expect(told).toEqual({ untracked: ['dir/odd [name].log'], tracked: [] });
    const checkpoint = await repo.git.checkpoint('main');
    repo.sh(
      'echo more >> "dir/odd [name].log"; echo two > a.txt; echo "*.tmp" > .gitignore; git add -A; git commit -qm all',
    );
    expect((await repo.git.after(checkpoint)).changed.map(({ path }) => path)).toEqual(['.gitignore', 'a.txt']);
    const { ino } = fileOf(repo, 'dir/odd [name].log');
    await repo.git.rollback(checkpoint);
    expect(repo.read('a.txt')).toBe('one\n');
    expect(repo.read('dir/odd [name].log')).toBe('first\nmore\n');
    expect(fileOf(repo, 'dir/odd [name].log').ino).toBe(ino);

    repo.write('a.txt', 'three\n');
    repo.sh('rm -rf .git/ralph/shadow');
    const commit = await accept(repo.git, checkpoint);
    expect(repo.run('show', '--name-only', '--format=', commit).trim()).toBe('a.txt');
    expect(repo.read('dir/odd [name].log')).toBe('first\nmore\n');
  },
);

test('tracked files are named instead, and files elsewhere or in the git dir passed over', async () => {
  const repo = await makeRepository({ 'a.txt': 'one\n' });
  const files = [fileOf(repo, 'a.txt'), fileOf(repo, '.git/HEAD'), fileOf(repo, '../.gitconfig')];
  expect(await repo.git.leaveOut(files, false)).toEqual({ untracked: [], tracked: ['a.txt'] });
});

test('the last ones count until they are replaced', async () => {
  const repo = await makeRepository();
  repo.write('run.log', '1\n');
  repo.write('two.log', '2\n');
  await repo.git.leaveOut([fileOf(repo, 'run.log')], false);
  const later = await openGit(repo.root, { env: repo.env });
  expect((await later.leaveOut([fileOf(repo, 'two.log')], true)).untracked).toEqual(['run.log', 'two.log']);
  expect((await later.leaveOut([], false)).untracked).toEqual([]);
  expect(repo.run('ls-tree', '-r', '--name-only', await later.tree())).toContain('run.log');
});
