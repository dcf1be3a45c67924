import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { backlogText, freshRepository, type Repository } from '../../../test/support/command-repository.ts';
import { acquireRunLock, readLedger } from '../../adapters/workspace/index.ts';
import { aBadLine } from '../../rules/safeguards/ledger.fixture.ts';
import { LIVE_RUN, saidTo, startLiveRun, stateDirOf, writeLedger } from '../shared/live-run.fixture.ts';

let repo: Repository;
beforeEach(async () => {
  repo = await freshRepository({ 'ralph/tasks.json': backlogText });
});

const show = async (id: string) => JSON.parse((await repo.ralph('stories', 'show', id, '--json')).out);

const UNCOMMITTED = 'not committed yet: commit it, or the next run will\n';

describe('without a run', () => {
  test('an approved story is done, and its evidence says that a person did it', async () => {
    await repo.ralph('stories', 'block', 'US-003', 'too', 'hard');
    await writeLedger(repo, aBadLine({ story: 'US-003', costUsd: 0.25, durationMs: 9_000 }));
    expect(await repo.ralph('stories', 'approve', 'US-003')).toEqual({
      code: 0,
      out: `US-003 is approved by you: done\n${UNCOMMITTED}`,
      err: '',
    });
    const { story, receipt, attempts } = await show('US-003');
    expect(story).toMatchObject({ passes: true, reviewStatus: 'approved', state: 'done' });
    expect(story).not.toHaveProperty('blocked');
    expect(receipt).toMatchObject({ by: 'person', verified: false, checks: [], attempts: 1, costUsd: 0.25 });
    expect(attempts).toBe(0);
    expect((await repo.ralph('stories', 'show', 'US-003')).out).toMatch(
      /approved \S+ by a person, after 0 reviews and 1 failed attempt\n {2}unverified: no checks were run for it/,
    );
    expect((await repo.ralph('stories', 'next')).out).toContain('US-002');
  });

  test('a story that is opened again starts afresh, and both are said once', async () => {
    expect((await repo.ralph('stories', 'reset', 'US-001')).out).toBe(
      `US-001 is reopened: to do, without reviews or failed attempts\n${UNCOMMITTED}`,
    );
    expect((await show('US-001')).story).toMatchObject({ state: 'to do', reviewCount: 0, notes: 'done' });
    expect((await repo.ralph('stories', 'reset', 'US-001')).out).toBe('US-001 is already open\n');
    await repo.ralph('stories', 'approve', 'US-001');
    const approvedAt = (await show('US-001')).receipt.approvedAt;
    expect((await repo.ralph('stories', 'approve', 'US-001', '--json')).out).toContain('"already"');
    expect((await show('US-001')).receipt.approvedAt).toBe(approvedAt);
  });

  test.each(['approve', 'reset'])('an unknown story: %s changes nothing and names the nearest', async (word) => {
    const { code, err } = await repo.ralph('stories', word, 'US-003', 'US-04');
    expect(code).toBe(2);
    expect(err).toContain("there is no story 'US-04'; did you mean US-004?");
    expect(await repo.read('ralph/tasks.json')).toBe(backlogText);
    expect(await readLedger(stateDirOf(repo))).toEqual([]);
  });

  test('another command at work is named: exit 4', async () => {
    const holder = { pid: process.pid, host: 'night', startedAt: '', run: 'ralph stories add' };
    const lock = await acquireRunLock(stateDirOf(repo), holder);
    onTestFinished(() => lock.release());
    expect((await repo.ralph('stories', 'approve', 'US-003')).code).toBe(4);
  });
});

describe('ralph stories reject', () => {
  test('sends an approved story back: the old approval stays as evidence, and the reviews start again', async () => {
    await repo.ralph('stories', 'approve', 'US-003');
    const { receipt } = await show('US-003');
    const where = ['--file', 'src/total.ts', '--line', '12'];
    expect(await repo.ralph('stories', 'reject', 'US-003', 'this is', 'never null', ...where)).toEqual({
      code: 0,
      out: `US-003 is sent back: the next run changes it\n${UNCOMMITTED}`,
      err: '',
    });
    await repo.ralph('stories', 'reject', 'US-003', 'this is never null', '--file', 'src/total.ts', '--line', '40');
    const after = await show('US-003');
    expect(after.story).toMatchObject({ state: 'changes requested', passes: false, reviewCount: 0 });
    expect(after.story.reviewFeedback).toBe(
      '- src/total.ts:12: this is never null\n- src/total.ts:40: this is never null',
    );
    expect(after.findings).toMatchObject([
      { state: 'open', file: 'src/total.ts', from: {} },
      { state: 'open', file: 'src/total.ts', from: {} },
    ]);
    expect(after.receipt).toBeNull();
    expect(after.earlier).toMatchObject([{ ...receipt, rejectedAt: expect.any(String) }]);
    const { out } = await repo.ralph('stories', 'show', 'US-003');
    expect(out).toContain('(by you) src/total.ts:12: this is never null');
    expect(out).toMatch(/Earlier approvals \(no longer valid\)\n {2}approved \S+ by a person.*, rejected 2/);
    expect((await repo.ralph('stories', 'next')).out).toMatch(/fix after review · US-003/);
  });

  test('a story without any work cannot be rejected, but a note can wait for it', async () => {
    const { code, err } = await repo.ralph('stories', 'reject', 'US-003', 'no');
    expect(code).toBe(2);
    expect(err).toContain('ralph steer --story US-003');
    expect((await repo.ralph('steer', '--story', 'US-3', 'use tabs')).err).toContain("there is no story 'US-3'");
    expect((await repo.ralph('steer', '--story', 'US-003', 'use tabs')).out).toBe(
      'noted: the next prompt about US-003 contains it, once\n',
    );
    expect((await repo.ralph('steer')).out).toContain('US-003: use tabs');
    expect(await saidTo(repo)).toEqual([{ kind: 'note', text: 'use tabs', story: 'US-003' }]);
  });

  test.each([
    [[' '], 'the rejection is empty'],
    [['x', '--line', '3'], '--line needs --file'],
    [['x', '--file', 'a\nb'], 'names no usable file'],
  ])('%j is refused', async (words, message) => {
    const { code, err } = await repo.ralph('stories', 'reject', 'US-001', ...words);
    expect(code).toBe(2);
    expect(err).toContain(message);
    expect(await repo.read('ralph/tasks.json')).toBe(backlogText);
  });

  test('a run applies it before its next iteration, all of several', async () => {
    await startLiveRun(repo);
    expect((await repo.ralph('stories', 'reject', 'US-001', 'round it')).out).toBe(
      `US-001 will be sent back by run ${LIVE_RUN} before its next iteration\n`,
    );
    await repo.ralph('stories', 'reject', 'US-001', 'test it');
    expect((await repo.ralph('stories', 'reject', 'US-001', 'round it')).out).toBe('US-001 is already sent back\n');
    expect((await saidTo(repo)).length).toBe(2);
    expect((await repo.ralph('status')).out).toMatch(/decided +US-001 is sent back before the next iteration/);
  });
});

describe('while a run is under way', () => {
  test('the run does it, and the same word twice is said once', async () => {
    await startLiveRun(repo);
    expect((await repo.ralph('stories', 'approve', 'US-003')).out).toBe(
      `US-003 will be approved by run ${LIVE_RUN} before its next iteration\n`,
    );
    expect((await repo.ralph('stories', 'approve', 'US-003')).out).toBe('US-003 is already approved\n');
    expect((await repo.ralph('stories', 'reset', 'US-003')).code).toBe(0);
    expect(await saidTo(repo)).toEqual([
      { kind: 'story', story: 'US-003', decision: 'approve' },
      { kind: 'story', story: 'US-003', decision: 'reopen' },
    ]);
    expect(await repo.read('ralph/tasks.json')).toBe(backlogText);
    expect((await repo.ralph('status')).out).toMatch(/decided +US-003 is opened again before the next iteration/);
  });

  test('a run on another spec folder does not hear of it', async () => {
    await startLiveRun(repo, { specDir: '.ralph/PRD-2' });
    const { code, err } = await repo.ralph('stories', 'approve', 'US-003');
    expect(code).toBe(2);
    expect(err).toContain('works on another spec folder');
    expect(await saidTo(repo)).toEqual([]);
  });
});

test('a check list is approved in its own file, with the state it has no place for beside it', async () => {
  const plan = '# Plan\n\n- [x] First thing\n- [ ] Second thing\n';
  const other = await freshRepository({ 'ralph/plan.md': plan });
  const { out } = await other.ralph('stories', '--json');
  const [, second] = JSON.parse(out).stories;
  expect((await other.ralph('stories', 'approve', second.id)).code).toBe(0);
  expect(await other.read('ralph/plan.md')).toBe(plan.replace('[ ]', '[x]'));
  expect((await other.ralph('stories', 'show', second.id)).out).toContain('by a person');
  expect((await other.ralph('stories', 'reject', second.id, 'in bold')).code).toBe(0);
  expect(await other.read('ralph/plan.md')).toBe(plan);
  expect((await other.ralph('stories', 'show', second.id)).out).toMatch(/changes requested[\s\S]*in bold/);
  expect((await other.ralph('stories', 'reset', second.id)).code).toBe(0);
  expect((await other.ralph('stories', 'show', second.id)).out).not.toContain('in bold');
});
