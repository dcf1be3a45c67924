import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeRepository } from '../../../test/support/git-repository.ts';
import { openGit } from './open.ts';

/** The agent may reach whatever is in the git dir: what snapshots are taken with is made again. */

test.each([
  'rm -rf .git/ralph',
  'rm -rf .git/ralph/shadow',
  'rm -rf .git/ralph/shadow/refs',
  'rm .git/ralph/shadow/HEAD',
  'rm .git/ralph/shadow/index .git/ralph/index-main',
  'rm .git/ralph/shadow/ralph-* && rm -r .git/ralph/work',
  'git config -f .git/ralph/shadow/config core.autocrlf true; : > .git/ralph/shadow/info/attributes',
])('after `%s` an iteration is seen and rolled back as always', async (command) => {
  const repo = await makeRepository({ 'a.txt': 'one\r\n', 'kept.log': 'tracked\n', '.gitignore': '*.log\nsecret\n' });
  repo.run('add', '-f', 'kept.log');
  repo.run('commit', '-q', '-m', 'tracked although ignored');
  repo.write('nested/b.txt', 'theirs\n');
  execFileSync('git', ['init', '-q', 'nested'], { cwd: repo.root, env: repo.env });
  repo.write('secret', 'mine\n');
  const checkpoint = await repo.git.checkpoint('main');
  repo.write('a.txt', 'two\r\n');
  repo.write('new.txt', 'new\r\n');
  repo.sh(command);

  const after = await repo.git.after(checkpoint);
  expect(after.changed).toEqual([
    { path: 'a.txt', status: 'modified' },
    { path: 'new.txt', status: 'added' },
  ]);
  expect(Buffer.from((await repo.git.show(after.tree, 'new.txt')) ?? []).toString()).toBe('new\r\n');
  await repo.git.rollback(checkpoint);
  expect(['a.txt', 'new.txt', 'kept.log', 'secret', 'nested/b.txt'].map(repo.read)).toEqual([
    'one\r\n',
    null,
    'tracked\n',
    'mine\n',
    'theirs\n',
  ]);
  expect(existsSync(join(repo.root, 'nested/.git'))).toBe(true);
  expect(repo.run('status', '--porcelain')).toBe('?? nested/\n');
});

test.each([
  ['huge', "head -c 5000000 /dev/zero | tr '\\0' x >"],
  ['empty', ': >'],
  ['gone', 'rm'],
  ['a folder', 'rm .git/ralph/shadow/config && mkdir'],
])('settings of the snapshots that are %s at a start are made again', async (_, spoil) => {
  const repo = await makeRepository({ 'a.txt': 'one\r\n' });
  await repo.git.checkpoint('main');
  const settings = join(repo.root, '.git/ralph/shadow/config');
  const before = readFileSync(settings, 'utf8');
  repo.sh(`${spoil} .git/ralph/shadow/config`);
  const { tree } = await (await openGit(repo.root, { env: repo.env })).checkpoint('main');
  expect(readFileSync(settings, 'utf8')).toBe(before);
  expect(Buffer.from((await repo.git.show(tree, 'a.txt')) ?? []).toString()).toBe('one\r\n');
});
