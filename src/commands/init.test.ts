import { expect, test } from 'vitest';
import { backlogText, freshRepository } from '../../test/support/command-repository.ts';
import { LIVE_RUN, startLiveRun } from './shared/live-run.fixture.ts';

test('ralph init makes a workspace that validates, and overwrites nothing the second time', async () => {
  const repo = await freshRepository({ 'package.json': '{"scripts":{"test":"node --test"}}' });
  const first = await repo.ralph('init', '--name', 'till');
  expect(first).toMatchObject({ code: 0, err: '' });
  expect(first.out).toContain('created  ralph/tasks.json\n');
  expect(first.out).toContain('npm test');
  expect(JSON.parse((await repo.read('ralph/tasks.json')) ?? '')).toMatchObject({ branchName: 'ralph/till' });
  expect((await repo.ralph('validate')).code).toBe(0);
  await repo.write('ralph/prd.md', 'mine');
  const second = await repo.ralph('init');
  expect(second.out).toContain('kept     ralph/prd.md (already there)\n');
  expect(await repo.read('ralph/prd.md')).toBe('mine');
});

test('a name given to a backlog without stories, as an archive leaves it, changes its branch', async () => {
  const repo = await freshRepository();
  await repo.ralph('init', '--name', 'till');
  await repo.ralph('init', '--name', 'refunds');
  expect(JSON.parse((await repo.read('ralph/tasks.json')) ?? '')).toMatchObject({ branchName: 'ralph/refunds' });
  await repo.ralph('stories', 'add', 'Refund', '-c', 'Money comes back');
  expect((await repo.ralph('init', '--name', 'other')).out).toContain('kept     ralph/tasks.json (already there)');
  expect(JSON.parse((await repo.read('ralph/tasks.json')) ?? '')).toMatchObject({ branchName: 'ralph/refunds' });
});

test('a check that another one runs, too, is told by init and doctor', async () => {
  const scripts = { lint: 'eslint .', test: 'npm run lint && node --test' };
  const repo = await freshRepository({ 'package.json': JSON.stringify({ scripts }) });
  expect((await repo.ralph('init')).out).toContain('npm run lint   (redundant: `npm test` also runs it)');
  expect((await repo.ralph('doctor')).out).toContain(
    '`npm run lint` runs twice for each tree: `npm test` runs it, too',
  );
});

test('a package.json that cannot be read is said, not passed over', async () => {
  const repo = await freshRepository({ 'package.json': '{"scripts":' });
  expect((await repo.ralph('init')).out).toContain('package.json is not JSON: checks that it names were not found');
});

test('ralph init --force replaces nothing beside a live run', async () => {
  const repo = await freshRepository({ 'ralph/tasks.json': backlogText });
  await startLiveRun(repo);
  const refused = await repo.ralph('init', '--force');
  expect(refused.code).toBe(4);
  expect(refused.err).toContain(LIVE_RUN);
  expect(await repo.read('ralph/tasks.json')).toBe(backlogText);
  expect((await repo.ralph('init')).code).toBe(0);
  expect(await repo.read('ralph/tasks.json')).toBe(backlogText);
});
