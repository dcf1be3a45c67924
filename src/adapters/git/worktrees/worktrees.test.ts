import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { gitState, makeRepository, workTree } from '../../../../test/support/git-repository.ts';
import { GitRefusal } from '../../../contracts/index.ts';
import { listStreams, mainRoot, streamRoot, writeStreamFile } from '../../workspace/index.ts';
import { openGit } from '../open.ts';

test('twenty work trees are made at once, listed from any of them, and removed at once', async () => {
  const { git, root, env } = await makeRepository();
  const names = Array.from({ length: 20 }, (_, at) => `PRD-${at}`);
  const made = await Promise.all(
    names.map((name) => git.addWorktree({ path: streamRoot(root, name), branch: `ralph/${name}`, from: 'HEAD' })),
  );
  expect(made.every(({ branchCreated }) => branchCreated)).toBe(true);
  const other = await openGit(streamRoot(root, 'PRD-7'), { env });
  expect(await other.worktrees()).toEqual(await git.worktrees());
  expect(await mainRoot(other)).toBe(root);
  expect((await listStreams(other)).map(({ name }) => name).toSorted()).toEqual(names.toSorted());
  await Promise.all(names.map((name) => git.removeWorktree(streamRoot(root, name))));
  expect(await git.worktrees()).toHaveLength(1);
  expect(await git.resolve('ralph/PRD-7')).toBe(await git.resolve('HEAD'));
});

test('the state of a stream is found by what git keeps, and one that is damaged hides no other', async () => {
  const { git, root } = await makeRepository();
  for (const name of ['PRD-1', 'PRD-2'])
    await git.addWorktree({ path: streamRoot(root, name), branch: `ralph/${name}`, from: 'HEAD' });
  const [one, two] = await listStreams(git);
  if (one === undefined || two === undefined) throw new Error('not listed');
  const file = {
    version: 1,
    stream: 'PRD-1',
    specDir: '.ralph/PRD-1',
    branch: 'ralph/PRD-1',
    base: { branch: 'main', commit: one.head },
    prepared: true,
    createdAt: 1,
  } as const;
  await writeStreamFile(one.stateDir, file);
  writeFileSync(join(two.root, '.git'), 'gitdir: /nowhere\n');
  mkdirSync(two.stateDir, { recursive: true });
  writeFileSync(join(two.stateDir, 'stream.json'), '{"version":1,"stream":');
  expect(await listStreams(git)).toMatchObject([
    { name: 'PRD-1', file, problem: null },
    { name: 'PRD-2', file: null, problem: expect.stringContaining('cannot be read') },
  ]);
});

test('a folder that is gone is forgotten, one that was left half made is made again', async () => {
  const { git, root, sh } = await makeRepository();
  const add = () => git.addWorktree({ path: `${root}/w`, branch: 'side', from: 'HEAD' });
  expect(await add()).toEqual({ branchCreated: true });
  sh('rm -rf w');
  expect((await git.worktrees())[1]?.missing).toBe(true);
  expect(await add()).toEqual({ branchCreated: false });
  sh('echo initializing > .git/worktrees/w/locked && rm w/a.txt');
  expect(await add()).toEqual({ branchCreated: false });
  expect(existsSync(`${root}/w/a.txt`)).toBe(true);
});

test('a branch that is checked out, and a folder in use, are refused and left alone', async () => {
  const repo = await makeRepository();
  const { git, root } = repo;
  repo.write('full/file.txt', 'mine\n');
  const before = [workTree(root), gitState(repo)];
  await expect(git.addWorktree({ path: `${root}/w`, branch: 'main', from: 'HEAD' })).rejects.toThrow(GitRefusal);
  await expect(git.addWorktree({ path: `${root}/full`, branch: 'x', from: 'HEAD' })).rejects.toThrow(GitRefusal);
  expect([workTree(root), gitState(repo)]).toEqual(before);
  expect(await git.resolve('x')).toBeNull();
});

test('removing takes whatever is there, a folder without the right to write too; the main work tree stays', async () => {
  const { git, root, sh } = await makeRepository();
  await git.addWorktree({ path: `${root}/w`, branch: null, from: 'HEAD' });
  sh('mkdir w/ro && echo x > w/ro/f && chmod 500 w/ro && echo dirt > w/a.txt && git worktree lock w');
  await git.removeWorktree(`${root}/w`);
  await git.removeWorktree(`${root}/w`);
  await git.removeWorktree(`${root}/never`);
  await expect(git.removeWorktree(root)).rejects.toThrow('main');
  expect([existsSync(`${root}/w`), (await git.worktrees()).length]).toEqual([false, 1]);
});

test('a branch is made once; one that is there stays where it is', async () => {
  const { git, run } = await makeRepository();
  const head = (await git.resolve('HEAD')) ?? '';
  expect(await git.createBranch('ralph/prd-1', head)).toBe(true);
  run('commit', '-q', '--allow-empty', '-m', 'later');
  expect(await git.createBranch('ralph/prd-1', (await git.resolve('HEAD')) ?? '')).toBe(false);
  expect(await git.resolve('ralph/prd-1')).toBe(head);
  for (const name of ['ralph', 'ralph/prd-1/more', '-f', 'a..b', ''])
    await expect(git.createBranch(name, head), name).rejects.toThrow(GitRefusal);
  expect(await git.currentBranch()).toBe('main');
  expect(await git.worktrees()).toHaveLength(1);
});

test('a work tree is put to a commit: ignored files stay, the rest goes', async () => {
  const { git, root, run, sh, write } = await makeRepository({ 'a.txt': 'one\n', '.gitignore': '*.log\nkept/\n' });
  const start = (await git.resolve('HEAD')) ?? '';
  sh('mkdir kept && echo k > kept/k && echo l > x.log && git commit -q --allow-empty -m later');
  sh('git init -q nested && mkdir ro && echo r > ro/r && chmod 500 ro && echo s > s && git add s');
  write('.gitignore', 'everything\n');
  run('mv', 'a.txt', 'b.txt');
  await git.resetTo(start);
  expect(run('rev-parse', 'main').trim()).toBe(start);
  expect(run('status', '--porcelain')).toBe('');
  expect(sh('ls -A').trim().split('\n')).toEqual(['.git', '.gitignore', 'a.txt', 'kept', 'x.log']);
  expect(root).toBe(git.repo.root);
});
