import { expect, test } from 'vitest';
import { makeRepository } from '../../../test/support/git-repository.ts';
import { looseHead } from './loose-head.ts';

test('HEAD on a branch with a file of its own is read without git', async () => {
  const { git, run } = await makeRepository();
  run('switch', '-q', '-c', 'ralph/login');
  const commit = run('rev-parse', 'HEAD').trim();
  expect(await looseHead(git.repo)).toEqual({ commit, branch: 'refs/heads/ralph/login' });
});

test('a detached HEAD has no branch', async () => {
  const { git, run } = await makeRepository();
  run('switch', '-q', '--detach');
  expect(await looseHead(git.repo)).toEqual({ commit: run('rev-parse', 'HEAD').trim(), branch: null });
});

test.each([
  ['a packed branch', 'git pack-refs --all'],
  ['a branch without a commit', 'git checkout -q --orphan new'],
  ['a symbolic branch', 'git branch -q other && git symbolic-ref refs/heads/main refs/heads/other'],
  ['a branch that is a link', 'git branch -q other && ln -sf other .git/refs/heads/main'],
  ['a name that leads elsewhere', 'echo "ref: refs/heads/../../../x" >.git/HEAD'],
  ['a HEAD that is gone', 'rm .git/HEAD'],
])('%s is left to git', async (_, command) => {
  const { git, sh } = await makeRepository();
  sh(command);
  expect(await looseHead(git.repo)).toBeNull();
});
