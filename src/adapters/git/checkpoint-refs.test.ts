import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeRepository } from '../../../test/support/git-repository.ts';
import { openGit } from './open.ts';

async function twoStreams() {
  const repo = await makeRepository();
  const paths = ['PRD-1', 'PRD-2'].map((name) => join(repo.root, '..', name));
  for (const path of paths) await repo.git.addWorktree({ path, branch: null, from: 'HEAD' });
  const gits = [repo.git, ...(await Promise.all(paths.map((path) => openGit(path, { env: repo.env }))))];
  const refs = () =>
    repo.run('for-each-ref', '--format=%(refname)', 'refs/ralph/checkpoint').split('\n').filter(Boolean);
  return { ...repo, paths, gits, refs };
}

test('a checkpoint survives gc while other work trees take theirs', async () => {
  const { gits, run, write, paths, sh } = await twoStreams();
  write('own.txt', 'main\n');
  for (const path of paths) sh(`echo '${path}' > '${path}/own.txt'`);
  const checkpoints = await Promise.all(gits.map((git) => git.checkpoint('lane-0')));
  run('reflog', 'expire', '--expire=now', '--all');
  run('gc', '-q', '--prune=now');
  for (const [at, git] of gits.entries()) {
    const checkpoint = checkpoints[at]!;
    sh(`echo spoilt > '${git.repo.root}/own.txt'`);
    expect((await git.after(checkpoint)).changed).toEqual([{ path: 'own.txt', status: 'modified' }]);
    await git.rollback(checkpoint);
    expect(Buffer.from((await git.show(await git.tree(), 'own.txt')) ?? []).toString()).toBe(
      at === 0 ? 'main\n' : `${paths[at - 1]}\n`,
    );
  }
});

test("twenty checkpoints at once in each of three work trees get in nobody's way", async () => {
  const { gits } = await twoStreams();
  const taken = gits.map(async (git) => {
    for (let i = 0; i < 20; i++) await git.checkpoint('lane-0');
  });
  await expect(Promise.all(taken)).resolves.toBeDefined();
});

test('what keeps the checkpoints of a work tree goes with it, and with those that git forgot', async () => {
  const { gits, git, paths, refs, sh } = await twoStreams();
  for (const one of gits) await one.checkpoint('lane-0');
  expect(refs()).toHaveLength(6);
  await git.removeWorktree(paths[0]!);
  expect(refs()).toHaveLength(4);
  await git.addWorktree({ path: paths[0]!, branch: null, from: 'HEAD' });
  sh(`rm -rf '${paths[1]}' && git worktree prune`);
  await git.removeWorktree(paths[0]!);
  expect(refs()).toEqual(['refs/ralph/checkpoint/main/lane-0/head', 'refs/ralph/checkpoint/main/lane-0/tree']);
});
