import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeRepository } from '../../../test/support/git-repository.ts';
import { describeError } from '../../contracts/index.ts';
import { openGit } from './open.ts';

/** The message for people, with the temp folder's name taken out. */
async function refusal(action: Promise<unknown>, root: string): Promise<string> {
  const error = await action.then(
    () => new Error('not refused'),
    (reason: unknown) => reason,
  );
  return describeError(error).replaceAll(root, '<root>');
}

test('no work tree, no commit: refused with the way out', async () => {
  const { root, env, sh } = await makeRepository();
  mkdirSync(join(root, '../empty'));
  const outside = join(root, '../empty');
  expect(await refusal(openGit(outside, { env }), outside)).toMatchInlineSnapshot(`
    "Error: this folder is not in a git repository
      where: <root>
      why:   a failed iteration is rolled back with git, and a finished one becomes a commit
      fix:   git init && git add -A && git commit -m "Start"
      fix:   or name the project: --project-dir PATH"
  `);
  sh('git init -q ../empty');
  expect(await refusal(openGit(outside, { env }), outside)).toMatchInlineSnapshot(`
    "Error: this repository has no commit yet
      where: <root>
      why:   an iteration is rolled back to the commit before it
      fix:   git add -A && git commit -m "Start"
      fix:   or, with no files yet: git commit --allow-empty -m "Start""
  `);
  expect(await refusal(openGit(join(root, '.git'), { env }), root)).toMatchInlineSnapshot(`
    "Error: this folder is inside .git, not in the work tree
      where: <root>/.git
      fix:   cd <root>"
  `);
});

test('a git that is too old or missing: refused with the way out', async () => {
  const { root, env, write } = await makeRepository();
  write('../bin/git', '#!/bin/sh\necho git version 2.30.2\n', 0o755);
  const old = { ...env, PATH: `${join(root, '../bin')}:${env.PATH}` };
  expect(await refusal(openGit(root, { env: old }), root)).toMatchInlineSnapshot(`
    "Error: git 2.39 or later is needed, this is git version 2.30.2
      fix:   install a later git: https://git-scm.com/downloads"
  `);
  write('../none/sh', '#!/bin/sh\nexec /bin/sh "$@"\n', 0o755);
  expect(await refusal(openGit(root, { env: { ...env, PATH: join(root, '../none') } }), root)).toContain(
    'git cannot be started',
  );
});

test('an operation under way is named with its ways out', async () => {
  const repo = await makeRepository();
  repo.sh(
    'git checkout -q -b side && echo side > a.txt && git commit -qam side && git checkout -q main && echo main > a.txt && git commit -qam main',
  );
  await repo.git.refuseOperationsUnderWay();
  const cases: [string, string][] = [
    ['git merge side', 'merge'],
    ['git rebase side', 'rebase'],
    ['git cherry-pick side', 'cherry-pick'],
    ['git revert HEAD^', 'revert'],
  ];
  for (const [command, name] of cases) {
    repo.sh(`${command} >/dev/null 2>&1 || true`);
    const text = await refusal(repo.git.refuseOperationsUnderWay(), repo.root);
    expect(text).toContain(`a ${name} is under way`);
    expect(text).toContain(`fix:   git ${name} --abort`);
    repo.run(name, '--abort');
  }
  repo.sh('git bisect start >/dev/null');
  expect(await refusal(repo.git.refuseOperationsUnderWay(), repo.root)).toMatchInlineSnapshot(`
    "Error: a bisect is under way in this work tree
      where: <root>/.git/BISECT_LOG
      why:   the commit of an iteration would end it or get lost in it
      fix:   git bisect reset"
  `);
});

test('a large file that is neither tracked nor ignored is refused with the line that ignores it', async () => {
  const repo = await makeRepository({ '.gitignore': 'data/\n' });
  repo.sh('mkdir data && truncate -s 200M data/fine.bin && truncate -s 90M small.bin');
  await repo.git.refuseUncheckable();
  repo.sh('truncate -s 101M large.bin');
  expect(await refusal(repo.git.refuseUncheckable(), repo.root)).toMatchInlineSnapshot(`
    "Error: a file over 100 MB would be copied at every checkpoint: large.bin
      where: <root>
      why:   files that are neither tracked nor ignored are saved, so that a failed iteration can be rolled back
      fix:   echo '/large.bin' >> .gitignore"
  `);
});

test('changed tracked files are reported but for exempt ones; untracked ones are counted', async () => {
  const repo = await makeRepository({ 'a.txt': '1\n', 'ralph/tasks.json': '{}\n', ralphx: '1\n' });
  repo.sh('echo 2 > a.txt; echo 2 > ralph/tasks.json; echo 2 > ralphx; echo u > u1; echo u > u2');
  expect(await repo.git.dirty(['ralph'])).toEqual({ tracked: ['a.txt', 'ralphx'], untracked: 2 });
});

test('a stash takes the changes that are not exempt, and says how to get them back', async () => {
  const repo = await makeRepository({ 'a.txt': '1\n', 'ralph/tasks.json': '{}\n' });
  expect(await repo.git.stash('before ralph', ['ralph'])).toBeNull();
  repo.sh('echo 2 > a.txt; git add a.txt; echo 3 > a.txt; echo 2 > ralph/tasks.json; echo u > u');
  const command = await repo.git.stash('before ralph', ['ralph']);
  expect([repo.read('a.txt'), repo.read('ralph/tasks.json'), repo.read('u')]).toEqual(['1\n', '2\n', 'u\n']);
  repo.sh(command ?? 'false');
  expect(repo.read('a.txt')).toBe('3\n');
});

test('a branch is made, found again, and refused where it would overwrite changes', async () => {
  const repo = await makeRepository();
  expect([await repo.git.currentBranch(), await repo.git.defaultBranch()]).toEqual(['main', 'main']);
  repo.write('note.txt', 'carried along\n');
  expect(await repo.git.switchTo('ralph/shop')).toEqual({ created: true, from: 'main' });
  expect(await repo.git.switchTo('ralph/shop')).toEqual({ created: false, from: 'ralph/shop' });
  repo.sh('echo other > a.txt && git commit -qam other');
  expect(await repo.git.switchTo('main')).toEqual({ created: false, from: 'ralph/shop' });
  repo.write('a.txt', 'dirt\n');
  expect(await refusal(repo.git.switchTo('ralph/shop'), repo.root)).toMatchInlineSnapshot(`
    "Error: cannot switch to the branch ralph/shop: a file with changes would be overwritten
      where: a.txt
      fix:   commit or stash them: \`git stash push --include-untracked\`
      fix:   or run on the branch you are on: --no-branch"
  `);
  expect(repo.read('a.txt')).toBe('dirt\n');
  expect(await refusal(repo.git.switchTo('main/sub'), repo.root)).toContain('cannot switch to the branch main/sub');
  expect(await refusal(repo.git.switchTo('-f'), repo.root)).toContain('cannot be the name of a branch');
});

test('files are read from trees and commits; changes are summed up', async () => {
  const repo = await makeRepository({ 'a.txt': 'one\n', 'b.txt': '2\n', 'c.txt': '3\n' });
  const head = repo.run('rev-parse', 'HEAD').trim();
  expect(Buffer.from((await repo.git.show(head, 'a.txt')) ?? []).toString()).toBe('one\n');
  expect(await repo.git.show(head, 'none.txt')).toBeNull();
  repo.sh('for f in a b c d e; do echo changed > $f.txt; done; git add -A; git commit -qm more');
  expect(await repo.git.diffStat(head, 'HEAD', 4)).toMatchInlineSnapshot(`
    " a.txt | 2 +-
     b.txt | 2 +-
     … and 3 more files
     5 files changed, 5 insertions(+), 3 deletions(-)"
  `);
});
