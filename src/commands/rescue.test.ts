import { expect, test } from 'vitest';
import { freshRepository } from '../../test/support/command-repository.ts';
import { openGit } from '../adapters/git/index.ts';

test('ralph rescue without rescues says so, and an unknown name ends with 2', async () => {
  const repo = await freshRepository();
  expect((await repo.ralph('rescue')).out).toBe('no rescues\n');
  expect((await repo.ralph('rescue', 'show', 'x/1-1')).err).toContain("there is no rescue 'x/1-1'");
  expect((await repo.ralph('rescue', 'prune')).err).toContain('needs --older-than');
  expect((await repo.ralph('rescue', 'prune', '--older-than', '30d')).out).toBe('0 rescues deleted\n');
});

test('ralph rescue gives back what a roll-back took', async () => {
  const repo = await freshRepository({ 'src/a.js': 'one\n' });
  const git = await openGit(repo.root);
  const before = await git.checkpoint('lane-0');
  await repo.write('src/a.js', 'two\n');
  await repo.write('src/b.js', 'new\n');
  const { tree } = await git.after(before);
  const { name } = await git.rescue({
    run: 'run-1',
    iteration: 1,
    tree,
    parents: [before.head],
    subject: 'US-001: npm test is red',
    date: Date.UTC(2026, 0, 1),
  });
  await git.rollback(before);

  expect((await repo.ralph('rescue')).out).toMatch(new RegExp(`^${name} .* US-001: npm test is red$`, 'm'));
  const shown = await repo.ralph('rescue', 'show', name);
  expect(shown.out).toContain('+two\n');
  expect((await repo.ralph('rescue', 'show', name.replace('1-1', '1-2'))).err).toContain(`did you mean ${name}?`);

  await repo.write('src/a.js', 'mine\n');
  expect((await repo.ralph('rescue', 'restore', name)).code).toBe(2);
  expect(await repo.read('src/a.js')).toBe('mine\n');
  const one = await repo.ralph('rescue', 'restore', name, 'src/b.js', '--json');
  expect(JSON.parse(one.out)).toEqual({ rescue: name, restored: ['src/b.js'] });
  expect((await repo.ralph('rescue', 'restore', name, '--force')).code).toBe(0);
  expect(await repo.read('src/a.js')).toBe('two\n');

  expect((await repo.ralph('rescue', 'prune', '--older-than', '1d', '--dry-run')).out).toContain(
    '1 rescue would be deleted',
  );
  expect((await repo.ralph('rescue', 'prune', '--older-than', '1d')).out).toContain('1 rescue deleted');
  expect((await repo.ralph('rescue')).out).toContain('no rescues');
});
