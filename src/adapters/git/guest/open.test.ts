import { existsSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { needs } from '../../../../test/support/debian.ts';
import { makeRepository } from '../../../../test/support/git-repository.ts';
import { openGit } from '../open.ts';
import { beside, inBwrap, inGuest } from './guest.fixture.ts';

const missing = await needs('bwrap');

describe.skipIf(missing)('inside, with the guest git dir over the real one', () => {
  test('git is as it is outside: branch, index, refs, ignore rules, settings, hooks', async () => {
    const repo = await makeRepository({ 'a.txt': 'one\n', 'b.txt': 'two\n' });
    repo.run('tag', '-a', 'v1', '-m', 'first');
    repo.run('update-ref', 'refs/remotes/origin/main', 'HEAD');
    repo.run('symbolic-ref', 'refs/remotes/origin/HEAD', 'refs/remotes/origin/main');
    repo.run('pack-refs', '--all');
    repo.run('update-ref', 'refs/ralph/rescue/r1/1-1', 'HEAD');
    repo.run('config', 'alias.two', '!printf "%s\\n" "a \\"b\\""');
    repo.write('.git/info/exclude', 'secret\n');
    repo.write('../xdg/git/ignore', '*.swp\n');
    repo.write('.git/hooks/pre-commit', '#!/bin/sh\necho hooked\n', 0o755);
    for (const name of ['secret', 'x.swp', 'new.txt', 'staged.txt']) repo.write(name, 'x\n');
    repo.run('add', 'staged.txt');
    repo.write('b.txt', 'changed\n');
    const look =
      'git status --porcelain=v1 -b; git for-each-ref; git two; git config user.name; git hook run pre-commit';
    const outside = repo.sh(`(${look}) 2>&1`);
    expect(outside).toContain('hooked');
    const { mounts, dir } = await repo.git.openGuest('lane-0');
    expect(await inBwrap(repo, mounts, look)).toBe(outside);
    expect(existsSync(`${dir}/ralph`)).toBe(false);
  });

  test('commits, planted settings and a git dir that is deleted or moved away leave the real one as it was', async () => {
    const repo = await makeRepository();
    const trust = await repo.git.snapshotTrust();
    const state = () => [repo.run('for-each-ref'), repo.run('ls-files', '-s'), repo.run('config', '--local', '--list')];
    const before = state();
    for (const command of [
      'echo x > a.txt; git -c user.name=A -c user.email=a@b commit -qam x; git config core.fsmonitor ./evil; git log --oneline',
      'rm -rf .git/* || :; rm -rf .git || :',
      'mv .git elsewhere || :; git gc -q --prune=now || :; echo > /run/ralph/borrowed/0/objects/x || :',
    ]) {
      const { mounts } = await repo.git.openGuest('lane-0');
      await inBwrap(repo, mounts, command);
      expect(state()).toEqual(before);
      expect(await repo.git.restoreTrust(trust)).toEqual([]);
    }
  });

  test('a linked worktree, a repository that borrows objects, SHA-256, a split index and submodules work', async () => {
    const repo = await makeRepository({ 'a.txt': 'one\n' });
    repo.sh(`
      git clone -q --shared . ../shared
      git clone -q --bare . ../module.git
      cd ../shared
      git config user.name U && git config user.email u@example.org
      git config core.splitIndex true
      git -c protocol.file.allow=always submodule --quiet add ../module.git sub
      git commit -qm sub
      git worktree add -q ../lane 2>/dev/null
      mkdir ../sha256 && cd ../sha256 && git init -q --object-format=sha256 . && git commit -q --allow-empty -m first
    `);
    for (const name of ['shared', 'lane', 'sha256']) {
      const root = `${repo.root}/../${name}`;
      const git = await openGit(root, { env: repo.env });
      const { mounts } = await git.openGuest('lane-0');
      const inside = { ...repo, root: git.repo.root };
      const look = 'git status --porcelain; git log --oneline; git ls-files; git submodule status';
      const outside = repo.sh(`cd ../${name}; (${look}) 2>&1`);
      expect(await inBwrap(inside, mounts, look)).toBe(outside);
      expect(
        await inBwrap(inside, mounts, 'echo n > n; git add n; git commit -qm n; git fsck; git log --oneline'),
      ).toMatch(/ n\n/);
      expect(repo.sh(`cd ../${name}; git log --oneline`)).not.toMatch(/ n\n/);
    }
  });
});

test('attributes of the tree hide nothing from who reads a difference inside', async () => {
  const repo = await makeRepository({ 'a.js': 'one\n', '.gitattributes': '*.js -diff\n' });
  repo.sh('mkdir -p .git/info; echo "*.md text" > .git/info/attributes; echo evil >> a.js; git commit -qam hidden');
  const guest = await repo.git.openGuest('lane-0');
  expect(await inGuest(repo, guest, 'git diff HEAD~1 HEAD; git log -p -1')).toMatch(/(?:\+evil[\s\S]*){2}/);
  expect(await inGuest(repo, guest, 'git check-attr text x.md')).toContain('text: set');
});

test('logins and tokens stay outside, and so does signing', async () => {
  const repo = await makeRepository();
  const settings = {
    'credential.helper': 'store',
    'http.https://example.com/.extraheader': 'AUTHORIZATION: basic dG9rZW4=',
    'remote.origin.url': 'https://una:token@example.com/app.git',
    'url.https://x:token@example.com/.insteadOf': 'https://example.com/',
    'commit.gpgSign': 'true',
    'core.fsmonitor': beside(repo, 'monitor'),
  };
  for (const [key, value] of Object.entries(settings)) repo.run('config', key, value);
  const { dir } = await repo.git.openGuest('lane-0');
  const listed = repo.run('config', '-f', `${dir}/config`, '--list');
  expect(listed).toContain('remote.origin.url=https://example.com/app.git\n');
  expect(listed).not.toMatch(/token|dG9rZW4|store|gpgsign|fsmonitor/);
});

test('hooks in the work tree are found there; a folder of hooks elsewhere is copied, links as what they lead to', async () => {
  const repo = await makeRepository({ '.husky/pre-commit': '#!/bin/sh\n' });
  repo.run('config', 'core.hooksPath', '.husky');
  let git = await openGit(repo.root, { env: repo.env });
  const husky = await git.openGuest('lane-0');
  expect(repo.run('config', '-f', `${husky.dir}/config`, 'core.hooksPath')).toBe(`${repo.root}/.husky\n`);
  repo.write('../hooks/shared', '#!/bin/sh\necho shared\n', 0o755);
  repo.sh('ln -s shared ../hooks/commit-msg');
  repo.run('config', 'core.hooksPath', '../hooks');
  git = await openGit(repo.root, { env: repo.env });
  const elsewhere = await git.openGuest('lane-0');
  expect(repo.sh(`rm -r ../hooks; ${elsewhere.dir}/hooks/commit-msg`)).toBe('shared\n');
});

test('a guest that an agent made unremovable is made anew and removed', async () => {
  const repo = await makeRepository();
  const { dir } = await repo.git.openGuest('lane-0');
  repo.sh(`mkdir -p '${dir}/x/y' && touch '${dir}/x/y/z' && chmod 0 '${dir}/x/y' '${dir}/x'`);
  expect((await repo.git.openGuest('lane-0')).dir).toBe(dir);
  await repo.git.removeGuest('lane-0');
  expect(existsSync(dir)).toBe(false);
  await repo.git.removeGuest('lane-0');
});
