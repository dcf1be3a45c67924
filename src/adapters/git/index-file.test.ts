import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { makeRepository } from '../../../test/support/git-repository.ts';
import { readIndex } from './index-file.ts';

async function parsed(command: string) {
  const repo = await makeRepository({ 'a.txt': 'one\n', 'src/b.js': 'two\n', 'src/deep/c d.js': 'three\n' });
  repo.sh(command);
  const listed = Buffer.from(repo.run('ls-files', '-z')).toString('latin1').split('\0').slice(0, -1);
  return { listed, paths: (await readIndex(`${repo.root}/.git/index`, 'sha1'))?.paths };
}

test.each([
  ['names of every length', 'n=; for i in 1 2 3 4 5 6 7 8 9; do n=x$n; echo 1 >$n; done; git add -A'],
  ['names beyond ASCII', 'mkdir ü && echo 1 >ü/äß && git add -A'],
  ['an entry with more flags', 'echo 1 >new && git add -N new'],
  ['an empty index', 'git rm -q -r --cached .'],
])('the paths are those that git lists: %s', async (_, command) => {
  const { listed, paths } = await parsed(command);
  expect(paths).toEqual(listed);
});

test.each([
  ['names that are cut short', 'git update-index --index-version 4'],
  ['a split index', 'git update-index --split-index'],
])('%s are left to git', async (_, command) => {
  expect((await parsed(command)).paths).toBeUndefined();
});

test('a torn index, and what is none, are left to git', async () => {
  const repo = await makeRepository({ 'a.txt': 'one\n', 'b.txt': 'two\n' });
  const bytes = readFileSync(`${repo.root}/.git/index`);
  const torn = [0, 11, 60, 100].map((length) => bytes.subarray(0, length));
  for (const [at, contents] of [...torn, Buffer.alloc(500, 'x')].entries()) {
    writeFileSync(`${repo.root}/torn-${at}`, contents);
    expect(await readIndex(`${repo.root}/torn-${at}`, 'sha1')).toBeNull();
  }
});

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
