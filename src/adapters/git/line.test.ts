import { expect, test } from 'vitest';
import { makeRepository } from '../../../test/support/git-repository.ts';

test('a branch began where its first switch left, through branches of other loops', async () => {
  const { git, run } = await makeRepository();
  run('switch', '-q', '-c', 'develop');
  run('switch', '-q', '-c', 'ralph/one');
  run('switch', '-q', '-c', 'ralph/two');
  run('switch', '-q', 'main');
  run('switch', '-q', 'ralph/one');
  expect(await git.startedFrom('ralph/one')).toBe('develop');
  expect(await git.startedFrom('ralph/two')).toBe('develop');
  expect(await git.startedFrom('never')).toBeNull();
  run('branch', '-q', '-D', 'develop');
  expect(await git.startedFrom('ralph/one')).toBe('main');
});

test('a commit is made again with author, dates and every byte of its message', async () => {
  const { git, run, env } = await makeRepository();
  Object.assign(env, { GIT_AUTHOR_NAME: 'Ötto "O"', GIT_AUTHOR_DATE: '2001-02-03T04:05:06+0700' });
  run(
    'commit',
    '-q',
    '--allow-empty',
    '--cleanup=verbatim',
    '-m',
    'subject\n\n# no comment\n  indented\n\n\nKey: value\n',
  );
  const like = run('rev-parse', 'HEAD').trim();
  const [parent, tree] = ['HEAD^', 'HEAD^{tree}'].map((name) => run('rev-parse', name).trim());
  const made = await git.recommit({ like, tree: tree ?? '', parents: [parent ?? ''], sign: false });
  const shown = (id: string) => run('log', '-1', '--format=%an|%ae|%ad|%cd|%B', id);
  expect(shown(made)).toBe(shown(like));
});

test('the files of several spec folders are kept beside each other, and only missing ones written back', async () => {
  const repo = await makeRepository({ '.gitignore': '/ralph/\n/other/\n' });
  const { git, root, run } = repo;
  repo.write('ralph/tasks.json', 'one\r\n');
  repo.write('other/tasks.json', 'two\n');
  await Promise.all([git.saveSpec(['ralph/tasks.json', 'ralph/none']), git.saveSpec(['other/tasks.json'])]);
  await git.saveSpec(['ralph/tasks.json']);
  expect(run('rev-list', '--count', 'refs/ralph/spec')).toBe('2\n');
  repo.write('other/tasks.json', 'changed\n');
  repo.sh('rm -rf ralph');
  expect(await git.restoreSpec('ralph')).toEqual(['ralph/tasks.json']);
  expect(await git.restoreSpec(null)).toEqual([]);
  expect([repo.read('ralph/tasks.json'), repo.read('other/tasks.json')]).toEqual(['one\r\n', 'changed\n']);
  expect(await git.namedByRules(['ralph/x', 'a.txt'])).toEqual(['ralph/x']);
  expect(run('status', '--porcelain')).toBe('');
  expect(root).toBe(git.repo.root);
});

test('a kept file is brought up to a tree only where the one here is a version that was kept, and all of them or none', async () => {
  const { git, write, read, run, sh } = await makeRepository({ '.gitignore': '/ralph/\n' });
  write('ralph/a b.json', 'one\n');
  write('ralph/log', 'one\n');
  const paths = ['ralph/a b.json', 'ralph/log', 'ralph/none'];
  await git.saveSpec(paths);
  const tree = await git.treeWith('refs/ralph/spec', { 'ralph/a b.json': 'two\n', 'ralph/log': 'two\n' });
  write('ralph/log', 'mine\n');
  expect(await git.updateSpec(tree, paths)).toEqual(['ralph/log']);
  expect(read('ralph/a b.json')).toBe('one\n');
  sh('rm ralph/log');
  expect(await git.updateSpec(tree, paths)).toEqual([]);
  expect([read('ralph/a b.json'), read('ralph/log')]).toEqual(['two\n', 'two\n']);
  expect(await git.updateSpec(tree, paths)).toEqual([]);
  expect(run('status', '--porcelain')).toBe('');
});

test('the commits of a range are listed, newest first, and no more than asked for', async () => {
  const { git, run } = await makeRepository();
  run('tag', 'start');
  run('commit', '-q', '--allow-empty', '-m', 'two', '-m', 'why');
  run('switch', '-q', '-c', 'side');
  run('commit', '-q', '--allow-empty', '-m', 'three');
  run('switch', '-q', 'main');
  run('merge', '-q', '--no-ff', '-m', 'merged', 'side');
  const listed = await git.commitsIn('start..HEAD', 9);
  expect(listed?.map(({ subject, body, parents }) => [subject, body.trim(), parents.length])).toEqual([
    ['merged', '', 2],
    ['three', '', 1],
    ['two', 'why', 1],
  ]);
  expect((await git.commitsIn('main', 1))?.map(({ subject }) => subject)).toEqual(['merged']);
  expect([await git.commitsIn('nowhere', 9), await git.commitsIn('--all', 9)]).toEqual([null, null]);
});

test('a tree takes files of another repository, with their modes, and nothing else of it', async () => {
  const one = await makeRepository({ 'a.txt': 'one\n', 'test/a.sh': 'exit 0\n' });
  const other = await makeRepository({ 'a.txt': 'future\n', 'test/b.sh': 'new\n' });
  other.sh('chmod +x test/b.sh && git add -A && git commit -qm later');
  const tree = other.run('rev-parse', 'HEAD').trim();
  const made = await one.git.treeFrom('HEAD', {
    tree,
    paths: ['test/b.sh'],
    gone: ['test/a.sh'],
    gitDir: other.git.repo.commonDir,
  });
  expect(one.run('ls-tree', '-r', made).replace(/ \w{40}\t/g, ' ')).toBe('100644 blob a.txt\n100755 blob test/b.sh\n');
  expect(one.run('cat-file', 'blob', `${made}:test/b.sh`)).toBe('new\n');
  expect(() => one.run('cat-file', 'blob', other.run('rev-parse', `${tree}:a.txt`).trim())).toThrow();
});
