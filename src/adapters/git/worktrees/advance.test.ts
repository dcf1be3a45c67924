import { spawn } from 'node:child_process';
import { chmodSync, existsSync, rmSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { gitState, makeRepository, type Repository, workTree } from '../../../../test/support/git-repository.ts';
import { GitRefusal } from '../../../contracts/index.ts';

const FILES = { 'a.txt': 'one\n', 'b.txt': 'two\n', 'dir/c.txt': 'three\n', '.gitignore': '*.log\n' };

/** A commit on another branch that changes, adds and removes a file; the work tree is on main again. */
async function withMerge(files: Readonly<Record<string, string>> = FILES, change = CHANGE) {
  const repo = await makeRepository(files);
  const expected = repo.run('rev-parse', 'HEAD').trim();
  repo.sh(`git checkout -q -b side && ${change} && git add -A -f && git commit -qm side`);
  const to = repo.run('rev-parse', 'HEAD').trim();
  repo.sh('git checkout -q main');
  return { repo, expected, to, advance: () => repo.git.advanceBranch({ branch: 'main', expected, to }) };
}
const CHANGE = 'echo changed > a.txt && mkdir new && echo new > new/n.txt && git rm -q dir/c.txt';

const status = (repo: Repository) => repo.run('status', '--porcelain', '--ignored').trimEnd().split('\n');

test('branch, index and files are brought up together, and uncommitted changes elsewhere stay', async () => {
  const { repo, to, advance } = await withMerge();
  repo.write('b.txt', 'half an idea\n');
  repo.write('staged.txt', 'staged\n');
  repo.run('add', 'staged.txt');
  repo.write('note.txt', 'untracked\n');
  repo.write('x.log', 'ignored\n');
  expect(await advance()).toEqual({ kind: 'advanced' });
  expect(repo.run('rev-parse', 'main').trim()).toBe(to);
  expect(status(repo)).toEqual([' M b.txt', 'A  staged.txt', '?? note.txt', '!! x.log']);
  expect([repo.read('a.txt'), repo.read('new/n.txt'), repo.read('dir/c.txt')]).toEqual(['changed\n', 'new\n', null]);
  expect(await advance()).toEqual({ kind: 'already' });
  expect(existsSync(`${repo.git.repo.gitDir}/index.lock`)).toBe(false);
});

test('a branch that is checked out nowhere moves alone', async () => {
  const { repo, to, advance } = await withMerge();
  repo.run('checkout', '-q', '--detach');
  const before = [workTree(repo.root), gitState(repo)];
  expect(await advance()).toEqual({ kind: 'advanced' });
  expect(repo.run('rev-parse', 'main').trim()).toBe(to);
  expect([workTree(repo.root), gitState(repo)]).toEqual(before);
});

test('the branch of another work tree is brought up there', async () => {
  const { repo, advance } = await withMerge();
  repo.run('checkout', '-q', '-b', 'elsewhere');
  repo.sh('git worktree add -q ../other main');
  expect(await advance()).toEqual({ kind: 'advanced' });
  expect(repo.sh('cat ../other/a.txt && git -C ../other status --porcelain')).toBe('changed\n');
});

const OBSTACLES: Readonly<Record<string, { readonly put: string; readonly path: string }>> = {
  'a changed file': { put: 'echo mine > a.txt', path: 'a.txt' },
  'a staged change': { put: 'echo mine > a.txt && git add a.txt && git show HEAD:a.txt > a.txt', path: 'a.txt' },
  'a deleted file': { put: 'rm a.txt', path: 'a.txt' },
  'another mode': { put: 'chmod +x a.txt', path: 'a.txt' },
  'a file that the merge removes, changed': { put: 'echo mine >> dir/c.txt', path: 'dir/c.txt' },
  'an untracked file in the place of a new one': { put: 'mkdir new && echo mine > new/n.txt', path: 'new/n.txt' },
  'the same, ignored': {
    put: 'mkdir new && echo mine > new/n.txt && echo /new/ >> .git/info/exclude',
    path: 'new/n.txt',
  },
  'a file in the place of a folder': { put: 'echo mine > new', path: 'new' },
  'a link in the place of a folder': { put: 'ln -s dir new', path: 'new' },
  'a folder in the place of a file': { put: 'mkdir -p new/n.txt && echo mine > new/n.txt/x', path: 'new/n.txt/x' },
  'the same with ignored files only': {
    put: 'mkdir -p new/n.txt && echo mine > new/n.txt/x.log',
    path: 'new/n.txt/x.log',
  },
  'a change that git was told to overlook': {
    put: 'git update-index --assume-unchanged a.txt && echo mine > a.txt',
    path: 'a.txt',
  },
};
for (const [what, { put, path }] of Object.entries(OBSTACLES)) {
  test(`${what} is named, and everything stays as it is`, async () => {
    const { repo, advance } = await withMerge();
    repo.sh(put);
    const before = [workTree(repo.root), gitState(repo), repo.run('for-each-ref')];
    expect(await advance()).toEqual({ kind: 'in-the-way', root: repo.root, paths: [path] });
    expect([workTree(repo.root), gitState(repo), repo.run('for-each-ref')]).toEqual(before);
    expect(existsSync(`${repo.git.repo.gitDir}/index.lock`)).toBe(false);
  });
}

test('a person who made the same change already is not in the way', async () => {
  const { repo, advance } = await withMerge();
  repo.sh(`${CHANGE} && git add a.txt`);
  expect(await advance()).toEqual({ kind: 'advanced' });
  expect(status(repo)).toEqual(['']);
});

test('a branch that somebody moved is left alone, and one that would lose commits too', async () => {
  const { repo, expected, to, advance } = await withMerge();
  repo.run('commit', '-q', '--allow-empty', '-m', 'by hand');
  const before = [workTree(repo.root), gitState(repo)];
  expect(await advance()).toEqual({ kind: 'moved-by-someone' });
  await expect(repo.git.advanceBranch({ branch: 'main', expected: to, to: expected })).rejects.toThrow('build');
  expect([workTree(repo.root), gitState(repo)]).toEqual(before);
});

test('files become folders and folders files', async () => {
  const swap = 'rm a.txt && mkdir a.txt && echo x > a.txt/x && git rm -q -r dir && echo y > dir';
  const { repo, advance } = await withMerge(FILES, swap);
  expect(await advance()).toEqual({ kind: 'advanced' });
  expect([repo.read('a.txt/x'), repo.read('dir'), status(repo)]).toEqual(['x\n', 'y\n', ['']]);
});

test('in a sparse checkout what is left out stays left out', async () => {
  const { repo, advance } = await withMerge({ ...FILES, 'out/o.txt': 'o\n' }, `${CHANGE} && echo p > out/o.txt`);
  repo.sh('git sparse-checkout set --no-cone /a.txt /b.txt /dir/ /new/ /.gitignore');
  expect(await advance()).toEqual({ kind: 'advanced' });
  expect([repo.read('out/o.txt'), repo.read('a.txt'), status(repo)]).toEqual([null, 'changed\n', ['']]);
});

test("the user's filters write the files, and no hook runs", async () => {
  const filtered = { ...FILES, '.gitattributes': '*.up filter=up\n', 'f.up': 'f\n' };
  const { repo, advance } = await withMerge(filtered, `${CHANGE} && echo g > f.up`);
  repo.sh("git config filter.up.smudge 'tr a-z A-Z' && git config filter.up.clean 'tr A-Z a-z' && rm f.up");
  repo.run('checkout', '--', 'f.up');
  for (const hook of ['post-checkout', 'post-merge', 'reference-transaction', 'post-index-change'])
    repo.write(`.git/hooks/${hook}`, '#!/bin/sh\ntouch "$HOME/ran"\n', 0o755);
  expect(await advance()).toEqual({ kind: 'advanced' });
  expect([repo.read('f.up'), existsSync(`${repo.root}/../ran`), status(repo)]).toEqual(['G\n', false, ['']]);
});

/** The id of a process that has ended. */
async function endedProcess(): Promise<number> {
  const dead = spawn('true');
  await new Promise((done) => dead.once('exit', done));
  return dead.pid ?? 0;
}

test.each([
  ['for the same commit', ''],
  ['for one that was made again', '-C HEAD --amend --date=2001-01-01'],
])(
  'what a killed try left is recognised: some files written, one half, the lock of the index: %s',
  async (_, again) => {
    const { repo, expected, to } = await withMerge(FILES, `${CHANGE} && seq 1000 > b.txt`);
    repo.write('.git/ralph/advance', `${expected} ${to}\n`);
    if (again !== '') repo.sh(`git checkout -q side && git commit -q ${again} && git checkout -q main`);
    repo.write('a.txt', 'changed\n');
    repo.write('b.txt', '1\n2\n3');
    rmSync(`${repo.root}/dir/c.txt`);
    repo.write('.git/index.lock', `ralph ${await endedProcess()}\n`);
    const later = repo.run('rev-parse', 'side').trim();
    expect(await repo.git.advanceBranch({ branch: 'main', expected, to: later })).toEqual({ kind: 'advanced' });
    expect([status(repo), repo.read('b.txt')?.length]).toEqual([[''], 3893]);
  },
);

test('where the branch has moved already, the lock of the killed try goes', async () => {
  const { repo, expected, to, advance } = await withMerge();
  await advance();
  repo.write('.git/ralph/advance', `${expected} ${to}\n`);
  repo.write('.git/index.lock', `ralph ${await endedProcess()}\n`);
  expect(await advance()).toEqual({ kind: 'already' });
  expect(['index.lock', 'ralph/advance'].filter((name) => existsSync(`${repo.git.repo.gitDir}/${name}`))).toEqual([]);
});

test('a script whose ralph was killed keeps its files while it comes to its end', async () => {
  const { repo, advance } = await withMerge();
  repo.write('.git/index.lock', `ralph ${process.pid}\n`);
  const work = '.git/ralph/work';
  repo.write(`${work}/advance/index`, 'its own');
  await expect(advance()).rejects.toThrow('another git process');
  expect(repo.read(`${work}/advance/index`)).toBe('its own');
});

/** Runs a command while the files are written. */
const whileWriting = (repo: Repository, command: string) => {
  writeFileSync(`${repo.git.repo.gitDir}/info/attributes`, 'a.txt filter=act\n');
  repo.run('config', 'filter.act.clean', 'cat');
  repo.run('config', 'filter.act.smudge', `${command}; cat`);
};

test('no ref is locked while files are written: if all is killed then, the lock would stay for ever', async () => {
  const { repo, advance } = await withMerge();
  whileWriting(repo, 'find .git/refs .git/*.lock -name "*.lock" >seen.log');
  expect(await advance()).toEqual({ kind: 'advanced' });
  expect(repo.read('seen.log')).toBe('.git/index.lock\n');
});

test('a branch that is moved while its files are written stays there, and everything is put back', async () => {
  const { repo, advance } = await withMerge();
  const later = repo.sh('git commit-tree -p main -m later "main^{tree}"').trim();
  whileWriting(repo, `git update-ref refs/heads/main ${later} || :`);
  const before = [workTree(repo.root), gitState(repo).entries];
  expect(await advance()).toEqual({ kind: 'moved-by-someone' });
  expect([workTree(repo.root), gitState(repo).entries]).toEqual(before);
  expect(existsSync(`${repo.git.repo.gitDir}/ralph/advance`)).toBe(false);
});

test.each([':', 'git checkout -q --detach'])(
  'a lock of the branch that a killed git left is named: %s',
  async (put) => {
    const { repo, advance } = await withMerge();
    repo.sh(put);
    repo.write('.git/refs/heads/main.lock', '');
    const before = [workTree(repo.root), gitState(repo)];
    await expect(advance()).rejects.toMatchObject({
      facts: { what: 'git could not move the branch main', fix: [expect.stringContaining('heads/main.lock')] },
    });
    expect([workTree(repo.root), gitState(repo)]).toEqual(before);
  },
);

test('without a killed try a half-written file is a change like any other', async () => {
  const { repo, advance } = await withMerge(FILES, `${CHANGE} && seq 1000 > b.txt`);
  repo.write('b.txt', '1\n2\n3');
  expect(await advance()).toEqual({ kind: 'in-the-way', root: repo.root, paths: ['b.txt'] });
});

test("another git's lock of the index is respected", async () => {
  const { repo, advance } = await withMerge();
  writeFileSync(`${repo.git.repo.gitDir}/index.lock`, '');
  const before = workTree(repo.root);
  await expect(advance()).rejects.toThrow(GitRefusal);
  expect([workTree(repo.root), existsSync(`${repo.git.repo.gitDir}/index.lock`)]).toEqual([before, true]);
});

test.skipIf(process.getuid?.() === 0)('what cannot be written leaves everything as it was', async () => {
  const { repo, expected, advance } = await withMerge(FILES, `${CHANGE} && mkdir -p dir && echo z > dir/z.txt`);
  chmodSync(`${repo.root}/dir`, 0o555);
  const before = workTree(repo.root);
  await expect(advance()).rejects.toThrow('bring the work tree up');
  expect([workTree(repo.root), repo.run('rev-parse', 'main').trim()]).toEqual([before, expected]);
});

describe('an untracked file that the other branch had, and went on from', () => {
  const later = `${CHANGE} && git add -A && git commit -qm first && echo newer > new/n.txt && echo two > 'new/ö "x"'`;

  test.each([
    ['untracked', ':'],
    ['ignored', 'echo /new/ >> .git/info/exclude'],
    ['staged', 'git add new'],
  ])('gives way, its bytes are kept in history: %s', async (_, put) => {
    const { repo, advance } = await withMerge(FILES, later);
    repo.sh(`mkdir new && echo new > new/n.txt && ${put}`);
    expect(await advance()).toEqual({ kind: 'advanced' });
    expect([repo.read('new/n.txt'), repo.read('new/ö "x"'), status(repo)]).toEqual(['newer\n', 'two\n', ['']]);
  });

  test('stays where something else is in the way, and one may look before', async () => {
    const { repo, expected, to, advance } = await withMerge(FILES, later);
    const look = () => repo.git.filesInTheWay({ branch: 'main', expected, to });
    repo.sh('mkdir new && echo new > new/n.txt && echo mine > a.txt');
    const before = [workTree(repo.root), gitState(repo)];
    expect(await look()).toEqual({ root: repo.root, paths: ['a.txt'] });
    expect(await advance()).toMatchObject({ kind: 'in-the-way', paths: ['a.txt'] });
    expect([workTree(repo.root), gitState(repo)]).toEqual(before);
    repo.run('checkout', 'a.txt');
    expect(await look()).toBeNull();
    repo.run('checkout', '-q', '--detach');
    expect(await look()).toBeNull();
  });

  test('is put back where the files cannot be written', async () => {
    const { repo, advance } = await withMerge(FILES, `${later} && echo 'f filter=no' > .gitattributes && echo f > f`);
    repo.sh('mkdir new && echo new > new/n.txt');
    repo.run('config', 'filter.no.clean', 'cat');
    repo.run('config', 'filter.no.smudge', 'false');
    repo.run('config', 'filter.no.required', 'true');
    const before = workTree(repo.root);
    await expect(advance()).rejects.toThrow('bring the work tree up');
    expect(workTree(repo.root)).toEqual(before);
    repo.run('config', 'filter.no.smudge', 'cat');
    expect(await advance()).toEqual({ kind: 'advanced' });
    expect([repo.read('new/n.txt'), status(repo)]).toEqual(['newer\n', ['']]);
  });

  test('changed since, it is in the way; so is one that is staged and was changed then', async () => {
    const { repo, advance } = await withMerge(FILES, later);
    repo.sh('mkdir new && echo new > new/n.txt && git add new && echo mine > new/n.txt');
    expect(await advance()).toMatchObject({ kind: 'in-the-way', paths: ['new/n.txt'] });
    repo.run('reset', '-q');
    expect(await advance()).toMatchObject({ kind: 'in-the-way', paths: ['new/n.txt'] });
  });
});
