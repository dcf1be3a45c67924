import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeRepository, request } from '../../../test/support/git-repository.ts';
import { openGit } from './open.ts';

const FILES = { 'a.txt': 'one\n', 'b.txt': 'two\n', 'dir/c.txt': 'three\n' };

/** The user staged things, the agent changed, removed and added some, a commit of that is prepared. */
async function preparedCommit() {
  const repo = await makeRepository(FILES);
  repo.sh('echo mine >b.txt && git add b.txt && echo more >>b.txt && echo new >staged.txt && git add staged.txt');
  repo.sh('echo later >intended.txt && git add -N intended.txt');
  const checkpoint = await repo.git.checkpoint('main');
  repo.sh('echo agent >a.txt && rm dir/c.txt && echo file >dir2 && git add -A');
  const { head, changed } = await repo.git.after(checkpoint);
  const paths = changed.map(({ path }) => path);
  const made = await repo.git.prepareCommit(request(checkpoint, { paths }));
  if (made.kind !== 'prepared') throw new Error(made.kind);
  const input = { checkpoint, commit: made.commit, agentHead: head };
  const state = () => [
    repo.run('ls-files', '-s', '--debug').replace(/^ {2}(?!.*flags).*\n/gm, ''),
    repo.run('status', '--porcelain'),
    repo.run('rev-parse', 'HEAD', 'main'),
  ];
  return { ...repo, input, state };
}

test('a prepared commit leaves index and branch as the script does, which knows nothing of it', async () => {
  const one = await preparedCommit();
  expect(await one.git.applyCommit(one.input)).toBe('applied');
  const other = await preparedCommit();
  const stranger = await openGit(other.root, { env: other.env });
  expect(await stranger.applyCommit(other.input)).toBe('applied');
  expect(one.state()[0]).toBe(other.state()[0]);
  expect(one.state()[1]).toBe(other.state()[1]);
  expect(one.run('rev-parse', 'main').trim()).toBe(one.input.commit);
  expect(one.run('diff', '--cached', '--name-only').trim().split('\n')).toEqual(['b.txt', 'staged.txt']);
});

test.each([
  ['packed', 'git pack-refs --all'],
  ['not checked out', 'git switch -q -c elsewhere'],
])('a branch that is %s moves all the same', async (_, command) => {
  const { git, sh, run, input } = await preparedCommit();
  sh(command);
  expect(await git.applyCommit(input)).toBe('applied');
  expect(run('rev-parse', 'HEAD', 'main').trim().split('\n')).toEqual([input.commit, input.commit]);
  expect(run('symbolic-ref', 'HEAD').trim()).toBe('refs/heads/main');
});

test('a branch that somebody moved since the commit was prepared stays where they put it', async () => {
  const { git, run, input } = await preparedCommit();
  run('commit', '-q', '--allow-empty', '-m', 'by hand');
  const theirs = run('rev-parse', 'main');
  expect(await git.applyCommit(input)).toBe('moved-by-someone');
  expect(run('rev-parse', 'main')).toBe(theirs);
});

test('a merge that the agent left half done, and its locks, are gone', async () => {
  const { git, root, sh, input } = await preparedCommit();
  sh(
    'git rev-parse HEAD >.git/MERGE_HEAD && mkdir .git/rebase-merge && : >.git/rebase-merge/done && : >.git/index.lock',
  );
  expect(await git.applyCommit(input)).toBe('applied');
  for (const name of ['MERGE_HEAD', 'rebase-merge', 'index.lock'])
    expect(existsSync(`${root}/.git/${name}`)).toBe(false);
});

test('a prepared index that was taken away is made again', async () => {
  const { git, root, run, input } = await preparedCommit();
  const index = join(root, '.git/ralph/work', 'apply.index');
  const isMade = () => existsSync(index) && readFileSync(index).includes('dir2');
  while (!isMade()) await new Promise((resolve) => setTimeout(resolve, 5));
  rmSync(index);
  expect(await git.applyCommit(input)).toBe('applied');
  expect(run('diff', '--cached', '--name-only').trim().split('\n')).toEqual(['b.txt', 'staged.txt']);
});

test('a branch that somebody moves at the last moment keeps the index they had', async () => {
  const { git, root, run, sh, input } = await preparedCommit();
  sh('git reset -q && echo theirs >theirs.txt && git add theirs.txt');
  // Their git holds the branch while we would move it: the index is in place by then.
  writeFileSync(`${root}/.git/refs/heads/main.lock`, '');
  await expect(git.applyCommit(input)).rejects.toThrow(/move the branch/);
  rmSync(`${root}/.git/refs/heads/main.lock`);
  expect(run('diff', '--cached', '--name-only').trim().split('\n')).toEqual(['theirs.txt']);
});

test.each(['as prepared', 'by the script'])(
  '%s: files that git leaves alone stay so, a folder may become a file',
  async (how) => {
    const repo = await makeRepository({ ...FILES, 'local.conf': 'shared\n', 'gone.conf': 'shared\n' });
    repo.sh('git update-index --skip-worktree local.conf gone.conf && echo mine >local.conf');
    const checkpoint = await repo.git.checkpoint('main');
    repo.sh('echo agent >local.conf && rm -r dir gone.conf && echo file >dir && echo odd >"$(printf \'a\\nb\\351\')"');
    const { head, changed } = await repo.git.after(checkpoint);
    const made = await repo.git.prepareCommit(request(checkpoint, { paths: changed.map(({ path }) => path) }));
    if (made.kind !== 'prepared') throw new Error(made.kind);
    const by = how === 'as prepared' ? repo.git : await openGit(repo.root, { env: repo.env });
    expect(await by.applyCommit({ checkpoint, commit: made.commit, agentHead: head })).toBe('applied');
    expect(repo.run('diff', '--cached', '--name-only')).toBe('');
    expect(repo.run('ls-files', '-t')).toBe('H "a\\nb\\351"\nH a.txt\nH b.txt\nH dir\nS local.conf\n');
  },
);
