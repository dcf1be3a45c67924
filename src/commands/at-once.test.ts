import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { backlogText, freshRepository, type Repository } from '../../test/support/command-repository.ts';
import { acquireRunLock, readLedger } from '../adapters/workspace/index.ts';
import type { ControlAction } from '../contracts/index.ts';
import {
  anAsked,
  LIVE_RUN,
  startLiveRun,
  stateDirOf,
  writeLedger,
  writeLiveRecord,
} from './shared/live-run.fixture.ts';
import { operate } from './steer/operate.ts';

let repo: Repository;
beforeEach(async () => {
  repo = await freshRepository({ 'ralph/tasks.json': backlogText });
  await writeLiveRecord(repo, { ended: { reason: 'complete', at: 0 } });
});

/** What came of actions that several people take at the same moment. */
async function atOnce(actions: readonly ControlAction[]) {
  const settled = await Promise.allSettled(actions.map((action) => operate(repo.root, action)));
  return settled.map((one) => (one.status === 'fulfilled' ? one.value.text : String(one.reason.message)));
}

const answers = ['cents', 'euro', 'yen'].map(
  (text) => ({ do: 'answer', question: 'Q1', text, run: LIVE_RUN }) as const,
);

test('of several answers at once, without a run, the first is taken and the others are told which', async () => {
  await writeLedger(repo, anAsked('question Q1: cents?', 'US-002', 1));
  const said = await atOnce(answers);
  expect(said.filter((text) => text.startsWith('Q1 is answered'))).toHaveLength(1);
  const [given] = (await readLedger(stateDirOf(repo))).flatMap((line) => (line.kind === 'answer' ? [line.text] : []));
  expect(said.filter((text) => text.includes(`Q1 was already answered: "${given}"`))).toHaveLength(2);
});

test('of several answers at once while a run is under way the first holds', async () => {
  await writeLedger(repo, anAsked('question Q1: cents?', 'US-002', 1));
  await startLiveRun(repo);
  const said = await atOnce(answers);
  expect(said.filter((text) => text.includes('current run'))).toHaveLength(1);
  expect(said.filter((text) => text.includes('Q1 was already answered'))).toHaveLength(2);
});

test('a story that two approve at once is approved once, and the other is told so', async () => {
  const approve: ControlAction = {
    do: 'story',
    story: 'US-003',
    title: 'Give change',
    run: LIVE_RUN,
    decision: 'approve',
  };
  const said = await atOnce([approve, approve, { ...approve, story: 'US-002', title: 'Sum up' }]);
  expect(said.toSorted()).toEqual([
    'US-002 is approved by you: done',
    'US-003 is already approved',
    'US-003 is approved by you: done',
  ]);
});

test('different commands at once wait for one another', async () => {
  const both = await Promise.all([
    repo.ralph('stories', 'approve', 'US-003'),
    repo.ralph('stories', 'block', 'US-002', 'why'),
  ]);
  expect(both.map(({ code, err }) => [code, err])).toEqual([
    [0, ''],
    [0, ''],
  ]);
});

test('a command that keeps the lock is named, and nobody speaks of a run', async () => {
  await writeLedger(repo, anAsked('question Q1: cents?', 'US-002', 1));
  const holder = { pid: process.pid, host: 'night', startedAt: '', run: 'ralph stories add' };
  const lock = await acquireRunLock(stateDirOf(repo), holder);
  onTestFinished(() => lock.release());
  const [said] = await atOnce(answers.slice(0, 1));
  expect(said).toContain('`ralph stories add` is running in this work tree');
});
