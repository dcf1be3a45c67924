import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { accept, makeRepository, request, treeEntries } from '../../../test/support/git-repository.ts';
import { openGit } from './open.ts';

const FILES = { 'a.txt': 'one\n', 'b.txt': 'two\n', 'dir/c.txt': 'three\n', '.gitignore': '*.log\n.env\n' };

test("a commit holds exactly the iteration's paths, and the user's own changes stay as they were", async () => {
  const repo = await makeRepository(FILES);
  repo.write('b.txt', 'half an idea of the user\n');
  repo.write('staged.txt', 'staged by the user\n');
  repo.run('add', 'staged.txt');
  repo.write('note.txt', 'untracked\n');
  const checkpoint = await repo.git.checkpoint('main');
  repo.write('a.txt', 'changed by the agent\n');
  repo.write('new.txt', 'new\n');
  repo.sh('rm dir/c.txt && git add -A && git commit -qm "all of it"');
  const commit = await accept(repo.git, checkpoint);

  expect(repo.run('show', '--name-status', '--format=%P', commit).trim().split(/\n+/)).toEqual([
    checkpoint.head,
    'M\ta.txt',
    'D\tdir/c.txt',
    'A\tnew.txt',
  ]);
  expect(repo.run('rev-parse', 'main').trim()).toBe(commit);
  expect(repo.run('status', '--porcelain').trimEnd().split('\n')).toEqual([' M b.txt', 'A  staged.txt', '?? note.txt']);
});

test('applying twice is applying once, and a branch that someone else moved is left alone', async () => {
  const repo = await makeRepository(FILES);
  const checkpoint = await repo.git.checkpoint('main');
  repo.write('a.txt', 'changed\n');
  const { head, changed } = await repo.git.after(checkpoint);
  const build = () => repo.git.prepareCommit(request(checkpoint, { paths: changed.map(({ path }) => path) }));
  const [first, second] = [await build(), await build()];
  expect(first).toEqual(second);
  if (first.kind !== 'prepared') throw new Error(first.kind);
  const apply = () => repo.git.applyCommit({ checkpoint, commit: first.commit, agentHead: head });
  expect(await apply()).toBe('applied');
  expect(await apply()).toBe('already');
  repo.run('commit', '-q', '--allow-empty', '-m', 'by hand');
  const byHand = repo.run('rev-parse', 'HEAD');
  expect(await apply()).toBe('moved-by-someone');
  expect(repo.run('rev-parse', 'HEAD')).toBe(byHand);
  expect(repo.run('status', '--porcelain')).toBe('');
});

test('the index of someone killed between index and branch is done again', async () => {
  const repo = await makeRepository(FILES);
  const checkpoint = await repo.git.checkpoint('main');
  repo.write('a.txt', 'changed\n');
  const commit = await accept(repo.git, checkpoint);
  repo.run('update-ref', 'refs/heads/main', checkpoint.head);
  expect(await repo.git.applyCommit({ checkpoint, commit, agentHead: checkpoint.head })).toBe('applied');
  expect(repo.run('status', '--porcelain')).toBe('');
});

test('a detached HEAD and a switched branch are brought back to where the run is', async () => {
  const repo = await makeRepository(FILES);
  let checkpoint = await repo.git.checkpoint('main');
  repo.sh('git checkout -q -b side && echo x > x.txt && git add x.txt && git commit -qm x');
  let commit = await accept(repo.git, checkpoint);
  expect(await repo.git.currentBranch()).toBe('main');
  expect(repo.run('rev-parse', 'main').trim()).toBe(commit);

  repo.run('checkout', '-q', '--detach');
  checkpoint = await repo.git.checkpoint('main');
  expect(checkpoint.branch).toBeNull();
  repo.sh('git checkout -q main && echo y > y.txt');
  commit = await accept(repo.git, checkpoint);
  expect(await repo.git.currentBranch()).toBeNull();
  expect(repo.run('rev-parse', 'HEAD').trim()).toBe(commit);
  expect(repo.run('rev-parse', 'main').trim()).toBe(checkpoint.head);
});

test('what was ignored at the checkpoint is never committed, whatever becomes of .gitignore', async () => {
  const repo = await makeRepository(FILES);
  repo.write('.env', 'SECRET=1\n');
  repo.write('deep/debug.log', 'log\n');
  const checkpoint = await repo.git.checkpoint('main');
  repo.sh(
    'echo "!.env" > .gitignore; echo "!debug.log" > deep/.gitignore; git add -A; git commit -qm loose; echo work > work.txt',
  );
  const after = await repo.git.after(checkpoint);
  expect(after.changed.map(({ path }) => path)).toEqual(['.gitignore', 'deep/.gitignore', 'work.txt']);
  await repo.git.restoreTree(after.tree);
  expect(repo.read('.env')).toBe('SECRET=1\n');
  const commit = await accept(repo.git, checkpoint);
  expect([...treeEntries(repo, commit).keys()]).not.toContain('.env');
  expect(repo.read('deep/debug.log')).toBe('log\n');
});

test('files tracked in spite of an ignore rule are seen, committed and brought back like others', async () => {
  const repo = await makeRepository(FILES);
  repo.sh('echo kept > kept.log && git add -f kept.log && git commit -qm forced');
  const checkpoint = await repo.git.checkpoint('main');
  repo.write('kept.log', 'changed\n');
  expect((await repo.git.after(checkpoint)).changed).toEqual([{ path: 'kept.log', status: 'modified' }]);
  await repo.git.rollback(checkpoint);
  expect(repo.read('kept.log')).toBe('kept\n');
});

test('a folder that became a link, a file that became a folder with an ignored file in it', async () => {
  const repo = await makeRepository(FILES);
  const checkpoint = await repo.git.checkpoint('main');
  repo.sh(
    'mkdir other && mv dir/c.txt other && rmdir dir && ln -s other dir && rm b.txt && mkdir b.txt && echo S > b.txt/.env && echo n > b.txt/n',
  );
  const commit = await accept(repo.git, checkpoint);
  expect(repo.run('ls-tree', '-r', '--name-only', commit).trim().split('\n')).toEqual([
    '.gitignore',
    'a.txt',
    'b.txt/n',
    'dir',
    'other/c.txt',
  ]);
});

test('names that are not UTF-8 are committed under their own bytes', async () => {
  const repo = await makeRepository(FILES);
  const checkpoint = await repo.git.checkpoint('main');
  repo.sh(
    String.raw`printf x > "$(printf 'raw\377')"; printf y > '-n'; mkdir 'sp ace'; printf z > "$(printf 'sp ace/new\nline')"`,
  );
  const commit = await accept(repo.git, checkpoint);
  expect([...treeEntries(repo, commit).keys()]).toEqual(
    expect.arrayContaining(['raw\udcff', '-n', 'sp ace/new\nline']),
  );
  expect(repo.run('status', '--porcelain')).toBe('');
});

test("the loop's own bytes win over the work tree, and may be deletions", async () => {
  const repo = await makeRepository({ ...FILES, '.gitattributes': '*.json text eol=lf\n' });
  const checkpoint = await repo.git.checkpoint('main');
  repo.write('ralph/tasks.json', 'from the work tree\n');
  const commit = await accept(repo.git, checkpoint, { files: { 'ralph/tasks.json': '{}\r\n', 'a.txt': null } });
  expect(repo.run('show', `${commit}:ralph/tasks.json`)).toBe('{}\n');
  expect([...treeEntries(repo, commit).keys()]).not.toContain('a.txt');
  expect(repo.read('ralph/tasks.json')).toBe('from the work tree\n');
});

test("a commit names those of the loop's own texts that it holds byte for byte", async () => {
  const repo = await makeRepository({ ...FILES, '.gitattributes': '*.json text eol=lf\n' });
  const checkpoint = await repo.git.checkpoint('main');
  const made = await repo.git.prepareCommit(
    request(checkpoint, {
      files: { 'ralph/tasks.json': '{}\r\n', 'ralph/log é.txt': 'é\n', 'b.txt': 'two\n', 'a.txt': null, 'x\ny': 'z' },
    }),
  );
  expect(made).toMatchObject({ kind: 'prepared', holds: ['ralph/log é.txt', 'b.txt'] });
});

test("the user's filters and line endings apply, and attributes count", async () => {
  const repo = await makeRepository({ '.gitattributes': '*.up filter=upper\n*.crlf text eol=crlf\n', 'a.txt': 'a\n' });
  repo.run('config', 'filter.upper.clean', 'tr a-z A-Z');
  const checkpoint = await repo.git.checkpoint('main');
  repo.write('loud.up', 'shout\n');
  repo.write('dos.crlf', 'line\r\n');
  const commit = await accept(repo.git, checkpoint);
  expect(repo.run('show', `${commit}:loud.up`)).toBe('SHOUT\n');
  expect(repo.run('show', `${commit}:dos.crlf`)).toBe('line\n');
  expect(repo.run('status', '--porcelain')).toBe('');
});

test('an encoding that fits no file is told, and breaks nothing', async () => {
  const repo = await makeRepository(FILES);
  const checkpoint = await repo.git.checkpoint('main');
  repo.write('.gitattributes', '* working-tree-encoding=UTF-16\n');
  const { changed } = await repo.git.after(checkpoint);
  const wanted = { paths: changed.map(({ path }) => path), files: { 'ralph/tasks.json': '{}\n' } };
  expect(await repo.git.prepareCommit(request(checkpoint, wanted))).toMatchObject({
    kind: 'hook-failed',
    hook: null,
    output: expect.stringContaining('BOM is required'),
  });
  await repo.git.rollback(checkpoint);
  expect(await repo.git.prepareCommit(request(checkpoint, { ...wanted, paths: [] }))).toMatchObject({
    kind: 'prepared',
  });
});

test('nothing to commit is no commit', async () => {
  const repo = await makeRepository(FILES);
  const checkpoint = await repo.git.checkpoint('main');
  expect(await repo.git.prepareCommit(request(checkpoint, { paths: ['a.txt'], files: { 'b.txt': 'two\n' } }))).toEqual({
    kind: 'empty',
  });
});

test("the user's hooks see the commit's index, may change it and the message, and may refuse", async () => {
  const repo = await makeRepository(FILES);
  repo.write(
    '.git/hooks/pre-commit',
    '#!/bin/sh\ngit diff --cached --name-only > seen\necho formatted > a.txt\ngit add a.txt\n',
    0o755,
  );
  repo.write('.git/hooks/commit-msg', '#!/bin/sh\necho "Change-Id: 1" >> "$1"\n', 0o755);
  repo.write('b.txt', 'dirt\n');
  let checkpoint = await repo.git.checkpoint('main');
  repo.write('a.txt', 'agent\n');
  const commit = await accept(repo.git, checkpoint, { hooks: true });
  expect(repo.read('seen')).toBe('a.txt\n');
  expect(repo.run('show', `${commit}:a.txt`)).toBe('formatted\n');
  expect(repo.run('show', `${commit}:b.txt`)).toBe('two\n');
  expect(repo.run('log', '-1', '--format=%B', commit)).toContain('Change-Id: 1');

  repo.write('.git/hooks/pre-commit', '#!/bin/sh\necho "line 3: too long" >&2\nexit 1\n', 0o755);
  checkpoint = await repo.git.checkpoint('main');
  repo.write('a.txt', 'agent again\n');
  const refused = await repo.git.prepareCommit(request(checkpoint, { paths: ['a.txt'], hooks: true }));
  expect(refused).toEqual({ kind: 'hook-failed', hook: 'pre-commit', output: 'line 3: too long' });
  expect((await repo.git.prepareCommit(request(checkpoint, { paths: ['a.txt'] }))).kind).toBe('prepared');
});

test('author is the user, else Ralph; the message ends with the trailers', async () => {
  const repo = await makeRepository(FILES);
  const checkpoint = await repo.git.checkpoint('main');
  repo.write('a.txt', 'x\n');
  const commit = await accept(repo.git, checkpoint, {
    body: 'Because.',
    trailers: [
      ['Ralph-Run', 'r1'],
      ['Ralph-Story', 'US-001'],
    ],
  });
  expect(repo.run('log', '-1', '--format=%an <%ae> %at%n%B', commit)).toBe(
    'Una User <una@example.org> 1700000000\nfeat(US-001): work\n\nBecause.\n\nRalph-Run: r1\nRalph-Story: US-001\n\n',
  );
  expect(await repo.git.storyRange('US-001')).toEqual({ base: checkpoint.head, head: commit, commits: 1 });
  expect(await repo.git.storyRange('US-00')).toBeNull();
});

test("the agent's own commits are kept under a ref of their own, also when it rewrote the branch", async () => {
  const repo = await makeRepository(FILES);
  repo.run('commit', '-q', '--allow-empty', '-m', 'second');
  const checkpoint = await repo.git.checkpoint('main');
  repo.sh(
    'git reset -q --hard HEAD^ && echo 1 > one && git add -A && git commit -qm first-of-agent && echo 2 > two && git add -A && git commit -qm second-of-agent',
  );
  const { head: agentHead } = await repo.git.after(checkpoint);
  const kept = await repo.git.keepAgentCommits({ run: 'r1', iteration: 4, from: checkpoint.head, agentHead });
  expect(kept).toEqual({ ref: 'refs/ralph/iterations/r1/4', messages: ['first-of-agent', 'second-of-agent'] });
  expect(repo.run('rev-parse', 'refs/ralph/iterations/r1/4').trim()).toBe(agentHead);
  const commit = await accept(repo.git, checkpoint);
  expect(repo.run('rev-parse', `${commit}^`).trim()).toBe(checkpoint.head);
});

test('a linked worktree has its own checkpoint, commit and rollback; the main one is not touched', async () => {
  const repo = await makeRepository(FILES);
  repo.run('worktree', 'add', '-q', '-b', 'lane', '../lane');
  const { openGit } = await import('./open.ts');
  const git = await openGit(`${repo.root}/../lane`, { env: repo.env });
  const mainIndex = repo.run('ls-files', '-s');
  const checkpoint = await git.checkpoint('lane');
  repo.sh('cd ../lane && echo lane > a.txt && git add -A && git commit -qm agent');
  await git.rollback(checkpoint);
  expect(repo.sh('cat ../lane/a.txt')).toBe('one\n');
  repo.sh('echo lane > ../lane/a.txt');
  const commit = await accept(git, checkpoint);
  expect(repo.run('rev-parse', 'lane').trim()).toBe(commit);
  expect(repo.run('rev-parse', 'main').trim()).toBe(checkpoint.head);
  expect(repo.sh('cd ../lane && git status --porcelain')).toBe('');
  expect([repo.run('status', '--porcelain'), repo.run('ls-files', '-s')]).toEqual(['', mainIndex]);
});

test('the commits of a story begin after the one that archived the last story of its id', async () => {
  const repo = await makeRepository(FILES);
  const make = async (text: string, key: string) => {
    const checkpoint = await repo.git.checkpoint('main');
    repo.write('a.txt', text);
    return { base: checkpoint.head, head: await accept(repo.git, checkpoint, { trailers: [[key, 'US-001']] }) };
  };
  await make('1', 'Ralph-Story');
  await make('2', 'Ralph-Archived');
  expect(await repo.git.storyRange('US-001')).toBeNull();
  const { base, head } = await make('3', 'Ralph-Story');
  expect(await repo.git.storyRange('US-001')).toEqual({ base, head, commits: 1 });
});

test("a link of the agent's in whose place a folder came meanwhile is no part of the commit", async () => {
  const repo = await makeRepository();
  const checkpoint = await repo.git.checkpoint('main');
  repo.write('work.txt', 'of the agent\n');
  repo.sh('ln -s /tmp state');
  const { changed } = await repo.git.after(checkpoint);
  const paths = changed.map(({ path }) => path);
  expect(paths).toEqual(['state', 'work.txt']);
  repo.sh('rm state && mkdir -p state/runs && touch state/runs/log');
  const outcome = await repo.git.prepareCommit(request(checkpoint, { paths }));
  expect(outcome.kind).toBe('prepared');
  const { commit } = outcome as { readonly commit: string };
  expect(repo.run('ls-tree', '-r', '--name-only', commit)).toBe('a.txt\nwork.txt\n');
});

const PREPARED = { 'a.txt': 'one\n', 'b.txt': 'two\n', 'dir/c.txt': 'three\n' };

/** The user staged things, the agent changed, removed and added some, a commit of that is prepared. */
async function preparedCommit() {
  const repo = await makeRepository(PREPARED);
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
    const repo = await makeRepository({ ...PREPARED, 'local.conf': 'shared\n', 'gone.conf': 'shared\n' });
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
