import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeRepository } from '../../../test/support/git-repository.ts';
import { openGit, openOwnTree } from './open.ts';

/** A linked work tree below the main one, as those of streams are: without its `.git` file git finds that above it. */
async function linked() {
  const repo = await makeRepository({ 'a.txt': 'one\n', '.gitignore': 'trees/\n' });
  const root = join(repo.root, 'trees/one');
  await repo.git.addWorktree({ path: root, branch: 'one', from: 'HEAD' });
  await repo.git.addWorktree({ path: join(repo.root, 'trees/two'), branch: 'two', from: 'HEAD' });
  const own = await openGit(root, { env: repo.env });
  const { gitDir } = own.repo;
  const open = () => openOwnTree({ root, gitDir }, { env: repo.env });
  const facts = () =>
    [repo.run('symbolic-ref', 'HEAD'), repo.run('rev-parse', 'main'), repo.run('status', '--porcelain')].join();
  return { repo, root, own, gitDir, open, facts };
}

const REPLACEMENTS: Readonly<Record<string, (place: { root: string; main: string }) => void>> = {
  'is gone': ({ root }) => rmSync(join(root, '.git')),
  'names the main git dir': ({ root, main }) => writeFileSync(join(root, '.git'), `gitdir: ${main}/.git\n`),
  'names that of another work tree': ({ root, main }) =>
    writeFileSync(join(root, '.git'), `gitdir: ${main}/.git/worktrees/two\n`),
  'is a repository': ({ root, main }) => {
    rmSync(join(root, '.git'));
    mkdirSync(join(root, '.git'));
    writeFileSync(join(root, '.git/HEAD'), `of ${main}\n`);
  },
  'is a link': ({ root, main }) => {
    rmSync(join(root, '.git'));
    symlinkSync(join(main, '.git'), join(root, '.git'));
  },
};

test.each(Object.entries(REPLACEMENTS))('a work tree whose .git %s is opened as itself', async (_, replace) => {
  const { repo, root, gitDir, open, facts } = await linked();
  const [before, link] = [facts(), readFileSync(join(root, '.git'), 'utf8')];
  replace({ root, main: repo.root });
  const git = await open();
  expect(git.repo).toMatchObject({ root, gitDir });
  expect(await git.currentBranch()).toBe('one');
  expect(readFileSync(join(root, '.git'), 'utf8')).toBe(link);
  expect(facts()).toBe(before);
});

test.each(Object.entries(REPLACEMENTS))('after an agent the .git file that %s is put back', async (_, replace) => {
  const { repo, root, own, facts } = await linked();
  const [before, link] = [facts(), readFileSync(join(root, '.git'), 'utf8')];
  const trust = await own.snapshotTrust();
  replace({ root, main: repo.root });
  expect(await own.restoreTrust(trust)).toContain(join(root, '.git'));
  expect(readFileSync(join(root, '.git'), 'utf8')).toBe(link);
  expect(existsSync(join(repo.root, '.git/HEAD'))).toBe(true);
  expect(facts()).toBe(before);
});

test('a folder that became a link is neither opened nor read, written or put back', async () => {
  const { repo, root, own, open, facts } = await linked();
  const checkpoint = await own.checkpoint('lane-0');
  const trust = await own.snapshotTrust();
  repo.write('mine.txt', 'of the person\n');
  const before = facts();
  renameSync(root, `${root}.away`);
  symlinkSync(repo.root, root);
  const said = /was moved or replaced/;
  await expect(open()).rejects.toThrow(said);
  await expect(own.restoreTrust(trust)).rejects.toThrow(said);
  await expect(own.after(checkpoint)).rejects.toThrow(said);
  await expect(own.rollback(checkpoint)).rejects.toThrow(said);
  await expect(own.switchTo('three')).rejects.toThrow(said);
  expect(facts()).toBe(before);
  rmSync(root);
  await expect(open()).rejects.toThrow(said);
  renameSync(`${root}.away`, root);
  await open();
});

test('a work tree whose git dir is gone is not opened as the one above it', async () => {
  const { root, gitDir, open } = await linked();
  rmSync(gitDir, { recursive: true });
  await expect(open()).rejects.toThrow();
  rmSync(join(root, '.git'));
  await expect(open()).rejects.toThrow(/git dir/);
});
