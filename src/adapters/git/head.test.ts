import { expect, test } from 'vitest';
import { makeRepository } from '../../../test/support/git-repository.ts';
import { AGENT_ACTION, looseHead } from './head.ts';
import type { Checkpoint, Git } from './port.ts';

const COMMANDS = [
  ['commit', 'git commit -q --allow-empty -m x'],
  ['commit --amend', 'git commit -q --amend --allow-empty -m y'],
  ['reset', 'git commit -q --allow-empty -m x && git reset -q --hard HEAD~1'],
  ['checkout', 'git checkout -q -b other'],
  ['switch', 'git switch -q -c other'],
  [
    'merge',
    'git switch -q -c other && git commit -q --allow-empty -m x && git switch -q main && git merge -q --no-ff other',
  ],
  [
    'a fast-forward',
    'git branch other && git commit -q --allow-empty -m x && git switch -q other && git merge -q main',
  ],
  [
    'rebase',
    'git switch -q -c other && echo 1 >b && git add b && git commit -q -m b && git switch -q main && git commit -q --allow-empty -m x && git rebase -q main other',
  ],
  [
    'cherry-pick',
    'git switch -q -c other && echo 1 >b && git add b && git commit -q -m b && git switch -q main && git cherry-pick other >/dev/null',
  ],
  ['revert', 'echo 1 >b && git add b && git commit -q -m b && git revert --no-edit HEAD >/dev/null'],
  ['stash', 'echo 2 >a.txt && git stash -q && git stash pop -q'],
  [
    'am',
    'echo 1 >b && git add b && git commit -q -m b && git format-patch -q -1 -o ../patches && git reset -q --hard HEAD~1 && git am -q ../patches/*',
  ],
  ['pull', 'git branch other && git commit -q --allow-empty -m x && git switch -q other && git pull -q . main'],
] as const;

async function persons(git: Git, checkpoint: Pick<Checkpoint, 'headLog'>) {
  return (await git.movesSince(checkpoint)).filter(({ by }) => by === 'person');
}

test.each(COMMANDS)('what %s logs of HEAD is told apart by who did it', async (_, command) => {
  const { git, sh } = await makeRepository();
  const before = await git.checkpoint('lane-0');
  expect(await persons(git, before)).toEqual([]);
  sh(`export GIT_REFLOG_ACTION='${AGENT_ACTION}'; ${command}`);
  expect(await persons(git, before)).toEqual([]);

  sh(
    `git checkout -q -f main; git reset -q --hard ${before.head}; git branch -q -D other 2>/dev/null; rm -rf ../patches`,
  );
  const later = await git.checkpoint('lane-0');
  sh(command);
  const moves = await persons(git, later);
  expect(moves).not.toEqual([]);
});

test('a commit of a person is told with where it led', async () => {
  const { git, run } = await makeRepository();
  const checkpoint = await git.checkpoint('lane-0');
  run('commit', '-q', '--allow-empty', '-m', 'by hand');
  const to = run('rev-parse', 'HEAD').trim();
  const [move, ...rest] = await persons(git, checkpoint);
  expect(move).toMatchObject({ from: checkpoint.head, to, message: 'commit: by hand' });
  expect(rest).toEqual([]);
});

test('what the loop does to HEAD is nobody else’s', async () => {
  const { git, run } = await makeRepository();
  const checkpoint = await git.checkpoint('lane-0');
  run(
    '-c',
    'core.logAllRefUpdates=true',
    'update-ref',
    '-m',
    'ralph: commit',
    'HEAD',
    run('commit-tree', '-p', 'HEAD', '-m', 'x', 'HEAD^{tree}').trim(),
  );
  await git.rollback(checkpoint);
  expect(await persons(git, checkpoint)).toEqual([]);
});

test('a log that was written anew tells of nothing, and neither does a checkpoint of before', async () => {
  const { git, sh } = await makeRepository();
  sh('git commit -q --allow-empty -m x; git commit -q --allow-empty -m y');
  const checkpoint = await git.checkpoint('lane-0');
  sh('git reflog expire --expire=now --all; git commit -q --allow-empty -m z');
  expect(await persons(git, checkpoint)).toEqual([]);
  expect(await persons(git, {})).toEqual([]);
});

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
