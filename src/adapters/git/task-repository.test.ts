import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { makeRepository } from '../../../test/support/git-repository.ts';
import { harvest, seedRepository } from './task-repository.ts';

function gitIn(folder: string) {
  return (...args: readonly string[]) => execFileSync('git', args, { cwd: folder, encoding: 'utf8' }).trim();
}

test('a repository for a task has the objects of one tree, and no way to what came later', async () => {
  const { git, run, sh } = await makeRepository({
    'a.txt': 'one\n',
    'lib/b.txt': 'two\n',
    'ralph.config.json': '{}\n',
  });
  const tree = run('rev-parse', 'HEAD^{tree}').trim();
  sh('echo later > a.txt; echo new > c.txt; git add -A; git commit -qm later; git gc -q; git remote add origin .');
  const later = run('rev-list', '--objects', '--no-object-names', 'HEAD', `^${tree}`).trim().split('\n');
  const folder = join(dirname(git.repo.root), 'task');
  const files = { 'spec/tasks.json': '[]\n', 'ralph.config.json': null };
  await seedRepository({ from: git.repo.commonDir, tree, folder, files, message: 'as it was' });

  const inside = gitIn(folder);
  expect(inside('ls-files').split('\n')).toEqual(['a.txt', 'lib/b.txt', 'spec/tasks.json']);
  expect(inside('status', '--porcelain')).toBe('');
  expect(inside('log', '--all', '--reflog', '--format=%s')).toBe('as it was');
  const there = inside('cat-file', '--batch-all-objects', '--batch-check=%(objectname)').split('\n');
  expect(there).toEqual(
    expect.arrayContaining(run('rev-list', '--objects', '--no-object-names', tree).trim().split('\n')),
  );
  expect(there.filter((id) => later.includes(id))).toEqual([]);
  // The tree, its commit, and what the spec folder adds: two trees and a blob.
  expect(there.length).toBe(5 + 1 + 3);
  expect(inside('remote')).toBe('');
  expect(existsSync(`${folder}/.git/objects/info/alternates`)).toBe(false);
});

test('what was committed there is read without the files of the loop, with its lines', async () => {
  const { git, run } = await makeRepository({
    'a.txt': 'one\n',
    'ralph.config.json': '{}\n',
    '.gitattributes': '*.txt diff=x\n',
  });
  const before = run('rev-parse', 'HEAD^{tree}').trim();
  const folder = join(dirname(git.repo.root), 'task');
  const files = { 'spec/tasks.json': '{}\n', 'ralph.config.json': null };
  await seedRepository({ from: git.repo.commonDir, tree: before, folder, files, message: 'as it was' });
  const inside = gitIn(folder);
  writeFileSync(`${folder}/a.txt`, 'one\ntwo\n');
  writeFileSync(`${folder}/b.bin`, Buffer.from([0, 255]));
  writeFileSync(`${folder}/spec/tasks.json`, '{ "done": true }\n');
  inside('add', '-A');
  inside('commit', '-qm', 'work');
  writeFileSync(`${folder}/c.txt`, 'not committed\n');
  const patch = join(dirname(folder), 'work.patch');
  const { tree, changed } = await harvest({ folder, before, patch, without: ['spec', 'ralph.config.json'] });
  expect(changed).toEqual([
    { path: 'a.txt', added: 1, removed: 0 },
    { path: 'b.bin', added: 0, removed: 0 },
  ]);
  expect(inside('ls-tree', '-r', '--name-only', tree).split('\n')).toEqual([
    ...['.gitattributes', 'a.txt', 'b.bin', 'ralph.config.json'],
  ]);
  expect(readFileSync(patch, 'utf8')).toContain('GIT binary patch');
});
