import { expect, test } from 'vitest';
import { makeRepository, type Repository } from '../../../test/support/git-repository.ts';
import { GitRefusal, UsageError } from '../../contracts/index.ts';

const DATE = 1_700_000_000_000;

async function rescueNow(repo: Repository, change: string, date = DATE) {
  const checkpoint = await repo.git.checkpoint('main');
  repo.sh(change);
  const { tree, head } = await repo.git.after(checkpoint);
  const parents = [checkpoint.head, head];
  const rescue = await repo.git.rescue({ run: 'r1', iteration: 3, tree, parents, subject: 'US-001: rejected', date });
  await repo.git.rollback(checkpoint);
  return rescue;
}

test('two rescues of one iteration are both kept, and both can be restored', async () => {
  const repo = await makeRepository();
  const first = await rescueNow(repo, 'echo first > a.txt; echo new > new.txt');
  const second = await rescueNow(repo, 'echo second > a.txt');
  expect([first.name, second.name]).toEqual(['r1/3-1', 'r1/3-2']);
  expect(repo.read('a.txt')).toBe('one\n');
  expect(await repo.git.restoreRescue('r1/3-2', { paths: [], except: [], force: false })).toEqual(['a.txt']);
  expect(repo.read('a.txt')).toBe('second\n');
  expect(await repo.git.restoreRescue('r1/3-1', { paths: ['new.txt'], except: [], force: false })).toEqual(['new.txt']);
  expect(repo.read('new.txt')).toBe('new\n');
});

test('restoring over changes that are nowhere else needs force', async () => {
  const repo = await makeRepository();
  await rescueNow(repo, 'echo rescued > a.txt; echo rescued > b.txt');
  repo.write('a.txt', 'written since\n');
  repo.write('b.txt', 'untracked, written since\n');
  const attempt = repo.git.restoreRescue('r1/3-1', { paths: [], except: [], force: false });
  await expect(attempt).rejects.toThrow(GitRefusal);
  await expect(attempt).rejects.toThrow('would overwrite a.txt, b.txt');
  expect(repo.read('a.txt')).toBe('written since\n');
  await repo.git.restoreRescue('r1/3-1', { paths: [], except: [], force: true });
  expect([repo.read('a.txt'), repo.read('b.txt')]).toEqual(['rescued\n', 'rescued\n']);
});

test('a rescue is listed and shown, and an unknown one is refused with those there are', async () => {
  const repo = await makeRepository();
  const rescue = await rescueNow(repo, 'echo rescued > a.txt');
  expect(await repo.git.rescues()).toEqual([rescue]);
  expect(await repo.git.showRescue('r1/3-1')).toMatch(/a\.txt \| 2 \+-[\s\S]*-one\n\+rescued/);
  const unknown = repo.git.showRescue('r1/9-1');
  await expect(unknown).rejects.toThrow(UsageError);
  await expect(unknown).rejects.toMatchObject({ facts: { fix: ['one of: r1/3-1'] } });
});

test('pruning deletes what is older than asked for, and a dry run nothing', async () => {
  const repo = await makeRepository();
  await rescueNow(repo, 'echo old > a.txt', Date.now() - 10 * 86_400_000);
  await rescueNow(repo, 'echo young > a.txt', Date.now());
  expect(await repo.git.pruneRescues(5 * 86_400_000, true)).toEqual(['r1/3-1']);
  expect(await repo.git.rescues()).toHaveLength(2);
  expect(await repo.git.pruneRescues(5 * 86_400_000, false)).toEqual(['r1/3-1']);
  expect((await repo.git.rescues()).map(({ name }) => name)).toEqual(['r1/3-2']);
});

test('a rollback keeps what nobody had rescued', async () => {
  const repo = await makeRepository({ 'a.txt': 'one\n', '.gitignore': '*.log\n' });
  const checkpoint = await repo.git.checkpoint('main');
  repo.sh('echo lost > a.txt; echo "*.txt" > .gitignore; echo hidden > hidden.txt');
  await repo.git.rollback(checkpoint);
  expect([repo.read('a.txt'), repo.read('hidden.txt')]).toEqual(['one\n', null]);
  const names = (await repo.git.rescues()).map(({ name }) => name);
  expect(names.every((name) => name.startsWith('before-rollback/'))).toBe(true);
  const shown = await Promise.all(names.map((name) => repo.git.showRescue(name)));
  expect(shown.join('')).toContain('+lost');
  expect(shown.join('')).toContain('+hidden');
});
