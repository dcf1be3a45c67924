import { beforeEach, expect, test } from 'vitest';
import { backlogText, freshRepository, type Repository } from '../../../test/support/command-repository.ts';
import { readLedger } from '../../adapters/workspace/ledger.ts';
import { acquireRunLock } from '../../adapters/workspace/run-lock.ts';

let repo: Repository;
beforeEach(async () => {
  repo = await freshRepository({ 'ralph/tasks.json': backlogText });
});

const storyNow = async (id: string) => JSON.parse((await repo.ralph('stories', 'show', id, '--json')).out).story;

test('ralph stories add appends a story with the next number', async () => {
  const { code, out } = await repo.ralph(
    'stories',
    'add',
    'Refund',
    '-c',
    'Money comes back',
    '-c',
    'Once',
    '--depends-on',
    'US-003',
  );
  expect({ code, out }).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^added US-005 Refund \(ralph\/tasks\.json:\d+\)\n$/),
  });
  expect(await storyNow('US-005')).toMatchObject({
    title: 'Refund',
    acceptanceCriteria: ['Money comes back', 'Once'],
    priority: 5,
    dependsOn: ['US-003'],
    passes: false,
    reviewStatus: null,
  });
  expect(
    (await repo.read('ralph/tasks.json'))?.startsWith(backlogText.slice(0, backlogText.lastIndexOf('    }\n'))),
  ).toBe(true);
});

test.each([
  [['add', 'Refund'], 'at least one acceptance criterion'],
  [['add', ' '], 'a story needs a title'],
  [['add', 'Refund', '-c', 'x', '--id', 'US-003'], "there is a story 'US-003' already"],
  [['add', 'Refund', '-c', 'x', '--depends-on', 'US-03'], "there is no story 'US-03'"],
  [['block', 'US-009', 'why'], "there is no story 'US-009'"],
  [['block', 'US-003', ''], 'needs a reason'],
  [['reset', 'US-003', 'US-009'], "there is no story 'US-009'"],
])('ralph stories %j is refused and changes nothing', async (line, message) => {
  const { code, err } = await repo.ralph('stories', ...line);
  expect(code).toBe(2);
  expect(err).toContain(message);
  expect(await repo.read('ralph/tasks.json')).toBe(backlogText);
  expect(await readLedger(`${repo.root}/.git/ralph`)).toEqual([]);
});

test('a blocked story is free again after a reset, with all attempts', async () => {
  expect((await repo.ralph('stories', 'block', 'US-002', 'waits', 'for', 'Ann')).out).toContain(
    'US-002 is blocked: waits for Ann',
  );
  expect(await storyNow('US-002')).toMatchObject({ blocked: 'waits for Ann', state: 'blocked' });
  expect((await repo.ralph('stories', 'next')).out).toBe('implement · US-003 Give change\n');
  expect((await repo.ralph('stories', 'reset', 'US-002')).code).toBe(0);
  expect(await storyNow('US-002')).toMatchObject({ state: 'to do', reviewCount: 0 });
  expect(await readLedger(`${repo.root}/.git/ralph`)).toMatchObject([{ kind: 'reset', story: 'US-002' }]);
});

test('while a run holds the lock they end with 4 and name the holder', async () => {
  const lock = await acquireRunLock(`${repo.root}/.git/ralph`, {
    pid: 4711,
    host: 'night',
    startedAt: '2026-01-01T10:00:00Z',
    run: 'run-1',
  });
  try {
    for (const line of [
      ['block', 'US-003', 'why'],
      ['reset', 'US-003'],
      ['add', 'x', '-c', 'y'],
    ]) {
      const { code, err } = await repo.ralph('stories', ...line);
      expect(code).toBe(4);
      expect(err).toContain('run-1');
      expect(err).toContain('4711');
    }
  } finally {
    await lock.release();
  }
  expect(await repo.read('ralph/tasks.json')).toBe(backlogText);
  expect((await repo.ralph('stories', 'block', 'US-003', 'why')).code).toBe(0);
});
