import { beforeEach, describe, expect, test } from 'vitest';
import { backlogText, freshRepository, type Repository } from '../../../test/support/command-repository.ts';
import { acquireRunLock, readLedger } from '../../adapters/workspace/index.ts';
import { LIVE_RUN, saidTo, startLiveRun } from '../shared/live-run.fixture.ts';

let repo: Repository;
beforeEach(async () => {
  repo = await freshRepository({ 'ralph/tasks.json': backlogText });
});

const backlog = async (): Promise<{ stories: { id: string }[] }> =>
  JSON.parse((await repo.ralph('stories', '--json')).out);
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
  [['add', 'Refund', '-c', 'x', '--id', 'US-003'], "story 'US-003' already exists"],
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
  expect(await readLedger(`${repo.root}/.git/ralph`)).toMatchObject([
    { kind: 'reset', story: 'US-002', decision: 'block' },
    { kind: 'reset', story: 'US-002', decision: 'reopen' },
  ]);
});

test('while another command holds the lock they end with 4 and name the holder', async () => {
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

test('edit changes the fields that are named and leaves the rest of the file as it is', async () => {
  expect((await repo.ralph('stories', 'edit', 'US-002', '--title', 'Pay twice', '-c', 'One', '-c', 'Two')).out).toBe(
    'US-002 is changed\n',
  );
  expect(await storyNow('US-002')).toMatchObject({
    title: 'Pay twice',
    acceptanceCriteria: ['One', 'Two'],
  });
  const text = (await repo.read('ralph/tasks.json')) ?? '';
  const lines = backlogText.split('\n').filter((line) => !text.includes(line));
  expect(lines.length).toBeLessThan(6);
  expect((await repo.ralph('stories', 'edit', 'US-001', '--priority', '9')).out).toContain(
    'to reopen it: ralph stories reset US-001',
  );
});

test('remove deletes one story, and no other line', async () => {
  expect((await repo.ralph('stories', 'remove', 'US-004')).out).toBe('US-004 is removed\n');
  expect((await backlog()).stories.map(({ id }) => id)).toEqual(['US-001', 'US-002', 'US-003']);
  expect((await repo.ralph('validate')).code).toBe(0);
});

test.each([
  [['edit', 'US-002'], 'nothing to change'],
  [['edit', 'US-02', '--priority', '1'], "there is no story 'US-02'"],
  [['edit', 'US-002', '--title', ' '], 'a story needs a title'],
  [['edit', 'US-002', '--depends-on', 'US-002'], 'US-002'],
  [['remove', 'US-009'], "there is no story 'US-009'"],
])('stories %j is refused and changes nothing', async (line, message) => {
  const { code, err } = await repo.ralph('stories', ...line);
  expect(code).toBe(2);
  expect(err).toContain(message);
  expect(await repo.read('ralph/tasks.json')).toBe(backlogText);
});

test('a story that others need is not removed; a Markdown plan is edited by hand', async () => {
  const { code, err } = await repo.ralph('stories', 'remove', 'US-003');
  expect({ code, err }).toMatchObject({ code: 2, err: expect.stringContaining('US-004: depends on "US-003"') });
  const other = await freshRepository({ 'ralph/plan.md': '# Plan\n\n- [ ] US-1: First\n' });
  expect((await other.ralph('stories', 'edit', 'US-1', '--title', 'x')).err).toContain('ralph/plan.md:3');
});

describe('while a run is under way', () => {
  beforeEach(() => startLiveRun(repo));
  const later = `by run ${LIVE_RUN} before its next iteration`;
  const stories = async (...line: readonly string[]) => (await repo.ralph('stories', ...line)).out.trim();

  test('the run adds, blocks and resets, and the backlog is not touched', async () => {
    expect(await stories('add', 'Refund', '-c', 'Money comes back', '--depends-on', 'US-003')).toBe(
      `US-005 Refund will be added ${later}`,
    );
    expect(await stories('block', 'US-003', 'waits', 'for', 'Ann')).toBe(`US-003 will be blocked ${later}`);
    expect(await stories('block', 'US-003', 'waits', 'for', 'Ann')).toBe('US-003 is already blocked');
    expect(await stories('reset', 'US-001')).toBe(`US-001 will be reopened ${later}`);
    const story = { id: 'US-005', title: 'Refund', acceptanceCriteria: ['Money comes back'], priority: 5 };
    expect(await saidTo(repo)).toEqual([
      { kind: 'add', folder: 'ralph', story: { ...story, dependsOn: ['US-003'] } },
      { kind: 'block', story: 'US-003', reason: 'waits for Ann' },
      { kind: 'story', story: 'US-001', decision: 'reopen' },
    ]);
    expect(await repo.read('ralph/tasks.json')).toBe(backlogText);
    const { out } = await repo.ralph('status');
    expect(out).toMatch(/new +US-005 Refund is added before the next iteration/);
    expect(out).toMatch(/decided +US-003 is blocked before the next iteration/);
  });

  test('the run changes and removes stories', async () => {
    expect(await stories('edit', 'US-002', '--priority', '1')).toBe(`US-002 will be changed ${later}`);
    expect(await stories('remove', 'US-004')).toBe(`US-004 will be removed ${later}`);
    expect(await saidTo(repo)).toEqual([
      { kind: 'edit', folder: 'ralph', story: 'US-002', fields: { priority: 1 } },
      { kind: 'edit', folder: 'ralph', story: 'US-004', fields: null },
    ]);
    expect(await repo.read('ralph/tasks.json')).toBe(backlogText);
    expect((await repo.ralph('status')).out).toMatch(/edited +US-004 is removed before the next iteration/);
  });

  test('a story that waits to be added counts: for numbers, as a dependency, and for other words', async () => {
    await stories('add', 'Refund', '-c', 'x');
    expect(await stories('add', 'Refund twice', '-c', 'x', '--depends-on', 'US-005')).toContain('US-006 Refund twice');
    expect(await stories('block', 'US-005', 'why')).toBe(`US-005 will be blocked ${later}`);
  });

  test.each([
    [['add', 'Refund'], 'at least one acceptance criterion'],
    [['add', 'Refund', '-c', 'x', '--id', 'US-003'], "story 'US-003' already exists"],
    [['add', 'Refund', '-c', 'x', '--depends-on', 'US-03'], "there is no story 'US-03'"],
    [['block', 'US-009', 'why'], "there is no story 'US-009'"],
    [['block', 'US-003', 'a\u0007bell'], 'control character'],
    [['reset', 'US-003', 'US-009'], "there is no story 'US-009'"],
  ])('stories %j is refused when it is typed, and the run hears nothing', async (line, message) => {
    const { code, err } = await repo.ralph('stories', ...line);
    expect(code).toBe(2);
    expect(err).toContain(message);
    expect(await saidTo(repo)).toEqual([]);
  });
});
