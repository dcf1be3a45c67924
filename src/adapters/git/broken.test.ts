import { afterEach, beforeEach, expect, test } from 'vitest';
import { list, makeTempDir, remove, runCommand, writeAtomic } from '../../platform/index.ts';
import { waysOutOf } from './broken.ts';
import { openGit } from './open.ts';

let root: string;
beforeEach(async () => {
  root = await makeTempDir('ralph-broken-');
  await git('init', '-q', '-b', 'main');
  await writeAtomic(`${root}/a`, 'one\n');
  await git('add', '-A');
  await git('-c', 'user.name=Una', '-c', 'user.email=una@example.org', 'commit', '-qm', 'one');
});
afterEach(() => remove(root));

async function git(...args: readonly string[]): Promise<void> {
  const { exitCode, stderr } = await runCommand('git', args, { cwd: root });
  if (exitCode !== 0) throw new Error(stderr.toString());
}

async function refusalAt(dir = root) {
  const error = await openGit(dir).then(
    () => null,
    (thrown) => thrown,
  );
  return { what: error?.facts.what, fix: (error?.facts.fix ?? []).join('\n') as string, where: error?.facts.where };
}

test.each<[string, string, string, RegExp]>([
  ['HEAD', '.git/HEAD', 'nonsense\n', /HEAD of the repository is damaged/],
  ['settings', '.git/config', '[core\n', /git cannot read its settings/],
  ['a branch', '.git/refs/heads/main', 'nonsense\n', /names no commit/],
])('damage to %s is told, and no new repository proposed', async (_of, path, text, what) => {
  await writeAtomic(`${root}/${path}`, text);
  const refusal = await refusalAt();
  expect(refusal.what).toMatch(what);
  expect(refusal.where).toContain(path);
  expect(refusal.fix).not.toMatch(/git (init|commit|add)/);
});

test('objects that are gone are told with what git said', async () => {
  for (const folder of await list(`${root}/.git/objects`)) await remove(`${root}/.git/objects/${folder}/`);
  const opened = await openGit(root)
    .then(
      (found) => found.dirty([]),
      (error) => Promise.reject(error),
    )
    .catch((error) => error);
  expect(opened.facts.fix?.join()).toContain('git fsck --full');
});

test('an index that is damaged is put aside, not deleted', async () => {
  await writeAtomic(`${root}/.git/index`, 'xx');
  const error = await (await openGit(root)).dirty([]).catch((thrown) => thrown);
  expect(error.facts.fix).toEqual([`mv ${root}/.git/index ${root}/.git/index.broken && git reset`]);
});

test('in a bare repository, and inside a .git, nothing is made', async () => {
  await git('clone', '-q', '--bare', '.', 'b.git');
  expect(await refusalAt(`${root}/b.git`)).toMatchObject({
    what: 'this is a bare repository: it has no files to work on',
    fix: `git clone ${root}/b.git ${root}/b-work`,
  });
  expect(await refusalAt(`${root}/.git/refs`)).toMatchObject({ fix: `cd ${root}` });
});

test('where there is no repository at all, one may be made', async () => {
  const empty = await makeTempDir('ralph-empty-');
  try {
    expect((await refusalAt(empty)).fix).toContain('git init');
  } finally {
    await remove(empty);
  }
});

test.each([
  ["cp: cannot create regular file '/project/.git/ralph/index': Read-only file system", 'for writing'],
  ['error: could not lock config file .git/config: Permission denied', 'ls -ld /project/.git'],
  ['Killed', 'start again'],
  ["fatal: sha1 file '/project/.git/index.lock' write error. Out of diskspace", 'df -h'],
  ['error: unable to write file src/a.txt', 'df -h'],
  ["fatal: not a git repository: '/project/.git'", 'git status'],
  ['', 'start again'],
])('whatever git failed with, there is a way out: %s', (said, way) => {
  expect(waysOutOf(said, '/project/.git').join('\n')).toContain(way);
});

test('a lock that was left beside a ref is named, with how to remove it', async () => {
  const repository = await openGit(root);
  const checkpoint = await repository.checkpoint('lane-0');
  await git('-c', 'user.name=Una', '-c', 'user.email=una@example.org', 'commit', '-q', '--allow-empty', '-m', 'two');
  const lock = `${repository.repo.gitDir}/refs/heads/main.lock`;
  await writeAtomic(lock, '');
  const error = await repository.rollback(checkpoint).catch((thrown) => thrown);
  expect(error.facts.why).toContain(`Unable to create '${lock}': File exists`);
  expect(error.facts.fix).toEqual([`if no git process is running here: rm ${lock}`]);
});
