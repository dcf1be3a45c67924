import { expect, test } from 'vitest';
import { gitState, makeRepository, treeEntries, workTree } from '../../../../test/support/git-repository.ts';

const LINES = '1\n2\n3\n4\n5\n';

/** Two branches, `one` and `two`, by shell commands; the work tree is on main. */
async function withBranches(files: Readonly<Record<string, string>>, one: string, two: string) {
  const repo = await makeRepository(files);
  repo.sh(`git checkout -q -b one && ${one} && git add -A && git commit -qm one`);
  repo.sh(`git checkout -q -b two main && ${two} && git add -A && git commit -qm two && git checkout -q main`);
  return repo;
}

test('two branches are merged into a tree, and nothing else is touched', async () => {
  const repo = await withBranches({ a: LINES }, 'echo 0 | cat - a > b && mv b a', 'echo 6 >> a && echo n > new');
  const before = [workTree(repo.root), gitState(repo), repo.run('for-each-ref')];
  const merged = await repo.git.mergeTrees('one', 'two');
  if (merged.kind !== 'merged') throw new Error('conflict');
  expect(repo.run('show', `${merged.tree}:a`)).toBe(`0\n${LINES}6\n`);
  expect([workTree(repo.root), gitState(repo), repo.run('for-each-ref')]).toEqual(before);
});

test('paths that both sides changed are named, odd names as they are', async () => {
  const repo = await withBranches(
    { 'a b\n"c"': 'x\n', d: 'x\n' },
    `echo 1 > 'a b\n"c"' && rm d`,
    `echo 2 > 'a b\n"c"' && echo 2 > d`,
  );
  expect(await repo.git.mergeTrees('one', 'two')).toEqual({ kind: 'conflict', paths: ['a b\n"c"', 'd'] });
});

test('a file where the other side has a folder is named as it is, although git gives it another name', async () => {
  const repo = await withBranches({ a: LINES }, 'echo 1 > d', 'mkdir d && echo 2 > d/x');
  expect(await repo.git.mergeTrees('one', 'two')).toEqual({ kind: 'conflict', paths: ['d'] });
});

test('union as an attribute of the branch merged into holds; a driver that is a command never runs', async () => {
  const files = { '.gitattributes': 'log merge=union\nx merge=mine\n', log: 'a\n', x: LINES, 'bin.dat': 'a\n' };
  const repo = await withBranches(
    files,
    'echo b >> log && echo 6 >> x',
    'echo c >> log && echo 0 | cat - x > y && mv y x',
  );
  repo.run('config', 'merge.mine.driver', 'touch "$HOME/ran"; false');
  repo.write('.git/info/attributes', '* merge=mine\n');
  const merged = await repo.git.mergeTrees('one', 'two');
  if (merged.kind !== 'merged') throw new Error('conflict');
  expect(repo.run('show', `${merged.tree}:log`)).toBe('a\nb\nc\n');
  expect(repo.run('show', `${merged.tree}:x`)).toBe(`0\n${LINES}6\n`);
  expect(repo.sh('ls ..')).not.toContain('ran');
});

test('a file that both added is no conflict where ours is what theirs was once, and went on from', async () => {
  const went =
    'echo 1 > t && mkdir d && echo x > d/x && git add -A && git commit -qm first && echo 2 > t && echo y > d/x';
  const repo = await withBranches({ a: LINES }, 'echo 1 > t && mkdir d && echo x > d/x && echo o > o', went);
  const merged = await repo.git.mergeTrees('one', 'two');
  if (merged.kind !== 'merged') throw new Error('conflict');
  expect(['t', 'd/x', 'o'].map((path) => repo.run('show', `${merged.tree}:${path}`))).toEqual(['2\n', 'y\n', 'o\n']);
  expect(await repo.git.mergeTrees('two', 'one')).toMatchObject({ kind: 'conflict' });
  repo.sh('git checkout -q one && echo mine > t && git commit -qam mine && git checkout -q main');
  expect(await repo.git.mergeTrees('one', 'two')).toEqual({ kind: 'conflict', paths: ['d/x', 't'] });
});

test('ten merges at once do not disturb one another, and leave no scratch files', async () => {
  const repo = await withBranches({ a: LINES }, 'echo 1 > b', 'echo 2 > c');
  const outcomes = await Promise.all(Array.from({ length: 10 }, () => repo.git.mergeTrees('one', 'two')));
  expect(new Set(outcomes.map((outcome) => JSON.stringify(outcome))).size).toBe(1);
  expect(repo.sh('ls .git/ralph/work')).toBe('');
});

test('files of a tree are replaced, added and removed; what was executable stays so', async () => {
  const repo = await makeRepository({ a: 'a\n', 'd/x.sh': 'x\n', 'd/y': 'y\n' });
  repo.sh('chmod +x d/x.sh && git commit -qam mode');
  const tree = await repo.git.treeWith('HEAD', { 'd/x.sh': 'new\r\n', 'd/y': null, 'ü/n': Buffer.of(0, 255) });
  expect(
    repo
      .run('ls-tree', '-r', '-z', tree)
      .split('\0')
      .map((entry) => entry.replace(/ blob \w+\t/, ' ')),
  ).toEqual(['100644 a', '100755 d/x.sh', '100644 ü/n', '']);
  expect(repo.run('show', `${tree}:d/x.sh`)).toBe('new\r\n');
  expect(treeEntries(repo, 'HEAD').size).toBe(3);
});

test('the same input makes the same commit, with the message, parents and trailers asked for', async () => {
  const repo = await withBranches({ a: LINES }, 'echo 1 > b', 'echo 2 > c');
  const parents = [(await repo.git.resolve('one')) ?? '', (await repo.git.resolve('two')) ?? ''];
  const make = () =>
    repo.git.commitTree({
      tree: repo.run('rev-parse', 'one^{tree}').trim(),
      parents,
      subject: 'Merge PRD-1',
      body: 'All of it.',
      trailers: [['Ralph-Merge', 'PRD-1']],
      date: 1_700_000_000_000,
      sign: false,
    });
  const commit = await make();
  expect(await make()).toBe(commit);
  expect(repo.run('show', '-s', '--format=%P%n%an%n%B', commit).trim()).toBe(
    `${parents.join(' ')}\nUna User\nMerge PRD-1\n\nAll of it.\n\nRalph-Merge: PRD-1`,
  );
  expect(await repo.git.commitsBetween('main', commit, 2)).toMatchObject({
    count: 3,
    commits: [{ id: commit, subject: 'Merge PRD-1' }, { subject: expect.stringMatching(/one|two/) }],
  });
  expect(await repo.git.mergeBase('one', 'two')).toBe(await repo.git.resolve('main'));
});

test('files whose line ends git converts, and those of a filter, are committed when git would store them like that', async () => {
  const attributes = '*.txt text eol=crlf\n*.up filter=up\n';
  const repo = await makeRepository({
    '.gitattributes': attributes,
    'raw.dat': '1\n',
    'ä b.txt': 'x\n',
    'c.txt': 'c\n',
  });
  repo.sh("git config filter.up.smudge 'tr a-z A-Z' && git config filter.up.clean 'tr A-Z a-z'");
  repo.write('f.up', 'F\n');
  repo.write('g.up', 'G\n');
  repo.run('add', '-A');
  repo.run('commit', '-qm', 'filtered');
  repo.sh("rm *.txt && git checkout -q -- '*.txt'");
  expect(repo.read('c.txt')).toBe('c\r\n');
  repo.write('c.txt', 'mine\r\n');
  repo.write('g.up', 'MINE\n');
  repo.write('raw.dat', '2\n');
  repo.write('new.txt', 'new\r\n');
  const { head, tree } = await repo.git.checkpoint('1');
  const all = ['.gitattributes', 'c.txt', 'f.up', 'g.up', 'new.txt', 'raw.dat', 'ä b.txt'];
  expect(await repo.git.uncommittedAmong(all, head, tree)).toEqual(['c.txt', 'g.up', 'new.txt', 'raw.dat']);
  expect(await repo.git.uncommittedAmong(['f.up', 'ä b.txt'], head, tree)).toEqual([]);
});
