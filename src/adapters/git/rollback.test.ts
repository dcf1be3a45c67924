import { chmodSync, existsSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { gitState, makeRepository, type Repository, workTree } from '../../../test/support/git-repository.ts';

/** Whatever the agent does, everything is as before; answers what was there when the rollback began. */
async function survives(repo: Repository, agent: string): Promise<void> {
  const checkpoint = await repo.git.checkpoint('main');
  const before = [workTree(repo.root), gitState(repo)];
  repo.sh(agent);
  await repo.git.rollback(checkpoint);
  expect([workTree(repo.root), gitState(repo)]).toEqual(before);
}

test('staged, modified, intended and deleted files come back in index and work tree', async () => {
  const repo = await makeRepository({ 'a.txt': '1\n', 'b.txt': '2\n', 'c.txt': '3\n' });
  repo.sh(
    'echo staged > a.txt && git add a.txt && echo modified > a.txt && rm b.txt && git rm -q --cached c.txt && echo n > n && git add -N n',
  );
  await survives(
    repo,
    'git add -A && git commit -qm agent && git reset -q --hard HEAD^ && git checkout -q -b other && git branch -D main && rm -rf *',
  );
});

test('odd modes and empty directories come back, new ones go', async () => {
  const repo = await makeRepository();
  repo.sh(
    'mkdir -p empty/deep kept && chmod 700 kept && chmod 1777 empty/deep && echo s > secret && chmod 600 secret && chmod 664 a.txt',
  );
  await survives(
    repo,
    'rm -rf empty kept && mkdir -p more/of/it && chmod 644 secret && chmod 600 a.txt && chmod 750 .',
  );
  const shared = await makeRepository({ 'plain.txt': 'x\n' });
  await survives(shared, 'chmod 640 plain.txt');
});

test('modes of files that no checkpoint looks at again are still known', async () => {
  const repo = await makeRepository({ 'plain.txt': 'x\n', 'secret.txt': 's\n', 'z.txt': 'z\n' });
  // No umask leaves such a mode.
  repo.sh('chmod 604 secret.txt');
  // Until a later second, git cannot tell a change of this one.
  await setTimeout(1_100);
  const first = await repo.git.checkpoint('main');
  expect(first.modes).toEqual([['secret.txt', 0o604]]);
  repo.sh('echo 1 >new.txt');
  expect((await repo.git.checkpoint('main')).modes).toEqual(first.modes);
  await survives(repo, 'chmod 644 secret.txt && chmod 640 plain.txt z.txt');
  await survives(repo, 'rm secret.txt z.txt && echo z >z.txt && chmod 600 z.txt');
  expect((await repo.git.checkpoint('main')).modes).toEqual(first.modes);
  repo.sh('rm secret.txt');
  expect((await repo.git.checkpoint('main')).modes).toEqual([]);
});

test("the user's ignored files stay when the agent loosens .gitignore, and agents cannot hide files behind a new one", async () => {
  const repo = await makeRepository({ '.gitignore': '.env\nnode_modules/\n' });
  repo.write('.env', 'SECRET\n');
  repo.write('node_modules/m/index.js', 'x\n');
  await survives(repo, 'rm .gitignore');
  await survives(repo, 'mkdir sub && echo "x" > sub/.gitignore && echo hidden > sub/x && echo "sub/" > .gitignore');
  expect(repo.read('.env')).toBe('SECRET\n');
});

test('a folder that ignores itself, as tools make them, is left where it is', async () => {
  const repo = await makeRepository();
  const checkpoint = await repo.git.checkpoint('main');
  repo.sh('mkdir .cache && echo "*" > .cache/.gitignore && echo x > .cache/data');
  await repo.git.rollback(checkpoint);
  expect(repo.read('.cache/data')).toBe('x\n');
});

test('nested repositories of the user stay, those of the agent are moved aside whole', async () => {
  const repo = await makeRepository();
  repo.sh('git init -q empty-nest && git init -q nest && cd nest && echo mine > f && git add f && git commit -qm f');
  await survives(
    repo,
    'echo more > a.txt; git init -q born; echo b > born/f; mkdir deep; git init -q deep/born; cd deep/born; echo c > f; git add f; git commit -qm c',
  );
  expect(repo.read('.git/ralph/rescued/1/born/f')).toBe('b\n');
  expect(existsSync(join(repo.root, '.git/ralph/rescued/1/deep/born/.git/HEAD'))).toBe(true);
});

test('a nested repository that the agent takes out of .gitignore is moved aside, whatever rule shows it', async () => {
  const repo = await makeRepository({ '.gitignore': '.cache\n' });
  await survives(
    repo,
    'echo "!.cache" >> .gitignore; git init -q .cache; echo x > .cache/x; mkdir d; git init -q d/.cache',
  );
  await survives(repo, 'git init -q plain; echo plain >> .gitignore');
});

test('a repository in the place of a tracked file makes way for the file, with or without a commit', async () => {
  const repo = await makeRepository();
  await survives(repo, 'rm a.txt && git init -q a.txt && cd a.txt && echo x > x && git add x && git commit -qm x');
  expect(repo.read('.git/ralph/rescued/1/a.txt/x')).toBe('x\n');
  await survives(repo, 'rm a.txt && git init -q a.txt && echo y > a.txt/y');
  expect(repo.read('.git/ralph/rescued/2/a.txt/y')).toBe('y\n');
});

test('a submodule is not touched, and no git of ours runs in it', async () => {
  const repo = await makeRepository();
  repo.sh('git init -q ../lib && cd ../lib && echo l > l && git add l && git commit -qm l');
  repo.sh('git -c protocol.file.allow=always submodule --quiet add ../lib lib && git commit -qm sub');
  repo.sh('cd lib && git config core.fsmonitor "touch ../../planted; false" && echo dirt >> l');
  await survives(repo, 'echo x > a.txt');
  const checkpoint = await repo.git.checkpoint('main');
  repo.sh('echo y > lib/new');
  await repo.git.rollback(checkpoint);
  expect(repo.read('lib/new')).toBe('y\n');
  expect((await repo.git.dirty([])).tracked).toEqual([]);
  expect(existsSync(join(repo.root, '../planted'))).toBe(false);
});

test('a merge that the agent left half done and the locks of a killed git are gone', async () => {
  const repo = await makeRepository();
  repo.sh(
    'git checkout -q -b side && echo side > a.txt && git commit -qam side && git checkout -q main && echo main > a.txt && git commit -qam main',
  );
  await survives(repo, 'git merge side || true; touch .git/index.lock');
  expect(existsSync(join(repo.root, '.git/MERGE_HEAD'))).toBe(false);
  await repo.git.refuseOperationsUnderWay();
  repo.run('add', '-A');
});

test('FIFOs stay, but not in the place of a tracked file', async () => {
  const repo = await makeRepository();
  repo.sh('mkfifo pipe');
  await survives(repo, 'rm a.txt && mkfifo a.txt');
  expect(statSync(join(repo.root, 'pipe')).isFIFO()).toBe(true);
});

test('FIFOs in the place of what git reads first hold nobody up', async () => {
  const repo = await makeRepository({ '.gitignore': 'out/\n' });
  await survives(
    repo,
    'rm .gitignore && mkfifo .gitignore && mkdir -p new/deep && mkfifo new/deep/.gitignore new/deep/.gitattributes && mkdir "$(printf "\\377")" && mkfifo "$(printf "\\377")/.gitignore"',
  );
});

test('nor do those in a git dir, or in a folder that looks like one', async () => {
  const repo = await makeRepository();
  const checkpoint = await repo.git.checkpoint('main');
  repo.sh('mkdir -p nested/.git && mkfifo nested/.git/HEAD');
  repo.sh('mkdir -p sub else/refs else/objects && mkfifo else/HEAD && echo "gitdir: ../else" > sub/.git');
  repo.sh('rm -f .git/packed-refs && mkfifo .git/packed-refs');
  expect((await repo.git.after(checkpoint)).tree).toBe(checkpoint.tree);
});

test('links are restored, never followed', async () => {
  const repo = await makeRepository({ 'dir/f': 'x\n' });
  repo.sh('mkdir ../outside && echo keep > ../outside/f');
  symlinkSync('../outside', join(repo.root, 'link'));
  await survives(repo, 'rm -rf dir link && ln -s ../outside dir && ln -s /nowhere link');
  expect(repo.read('../outside/f')).toBe('keep\n');
});

test('a folder without write permission does not stop a rollback', async () => {
  const repo = await makeRepository({ 'dir/f': 'x\n' });
  await survives(repo, 'echo y > dir/f && chmod 000 dir/f && chmod 555 dir');
  chmodSync(join(repo.root, 'dir'), 0o755);
});

test('what checks changed is undone, what the agent did stays', async () => {
  const repo = await makeRepository({ 'a.txt': '1\n', '.gitignore': 'out/\n' });
  const checkpoint = await repo.git.checkpoint('main');
  repo.sh('echo agent > a.txt');
  const { tree } = await repo.git.after(checkpoint);
  repo.sh('echo check > a.txt; echo junk > junk; mkdir out; echo built > out/x');
  expect(await repo.git.tree()).not.toBe(tree);
  await repo.git.restoreTree(tree);
  expect(await repo.git.tree()).toBe(tree);
  expect([repo.read('a.txt'), repo.read('junk'), repo.read('out/x')]).toEqual(['agent\n', null, 'built\n']);
});

test('other refs that the agent moved are reported and left', async () => {
  const repo = await makeRepository();
  repo.sh('git tag v1 && git branch gone');
  const checkpoint = await repo.git.checkpoint('main');
  repo.sh(
    'git commit -q --allow-empty -m x && git tag -f v1 >/dev/null && git branch -D gone >/dev/null && git branch extra',
  );
  const { movedRefs, head } = await repo.git.after(checkpoint);
  expect(movedRefs).toEqual({
    'refs/heads/extra': ['', head],
    'refs/heads/gone': [checkpoint.head, ''],
    'refs/tags/v1': [checkpoint.head, head],
  });
  await repo.git.rollback(checkpoint);
  expect(repo.run('rev-parse', 'v1').trim()).toBe(head);
});

test('a repository with SHA-256 objects works as well', async () => {
  const repo = await makeRepository();
  repo.sh('git init -q --object-format=sha256 ../other && cd ../other && echo x > f && git add f && git commit -qm f');
  const { openGit } = await import('./open.ts');
  const git = await openGit(join(repo.root, '../other'), { env: repo.env });
  const checkpoint = await git.checkpoint('main');
  repo.sh('echo y > ../other/f');
  await git.rollback(checkpoint);
  expect(repo.read('../other/f')).toBe('x\n');
});

test('large and binary files come back byte for byte', async () => {
  const repo = await makeRepository({ '.gitattributes': '* text=auto eol=crlf ident\n' });
  const bytes = Buffer.alloc(5_000_000, Buffer.from([0, 13, 10, 255, 36, 73, 100, 36]));
  repo.write('big.bin', bytes);
  repo.write('mixed.txt', 'a\r\nb\n$Id$\n');
  await survives(repo, 'echo x > big.bin; rm mixed.txt; git add -A; git commit -qm agent');
});
