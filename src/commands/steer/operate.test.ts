import { beforeEach, expect, test, vi } from 'vitest';
import { backlogText, freshRepository, type Repository } from '../../../test/support/command-repository.ts';
import { appendLedger, appendSteering, archiveLine } from '../../adapters/workspace/index.ts';
import { type ControlAction, UsageError } from '../../contracts/index.ts';
import {
  anAsked,
  LIVE_RUN,
  saidTo,
  startLiveRun,
  stateDirOf,
  writeLedger,
  writeLiveRecord,
} from '../shared/live-run.fixture.ts';
import { operate } from './operate.ts';

let repo: Repository;
beforeEach(async () => {
  repo = await freshRepository({ 'ralph/tasks.json': backlogText });
});

const doing = async (action: ControlAction) => (await operate(repo.root, action)).text;

test('a live run is paused, resumed and stopped in the words of the commands, twice without harm', async () => {
  await startLiveRun(repo);
  expect(await doing({ do: 'pause' })).toBe(
    `run ${LIVE_RUN} pauses before its next iteration; continue with: ralph resume`,
  );
  expect(await doing({ do: 'pause' })).toBe(`run ${LIVE_RUN} was already asked to pause after this iteration`);
  expect(await doing({ do: 'resume' })).toBe(`run ${LIVE_RUN} continues`);
  expect(await doing({ do: 'stop', now: false })).toContain('stops after this iteration');
  expect(await doing({ do: 'stop', now: true })).toContain('stops now');
  expect(await saidTo(repo)).toHaveLength(4);
});

test('a run between two turns hears the same, for its next one', async () => {
  await writeLiveRecord(repo, { between: Date.UTC(2026, 10, 22, 4) });
  expect(await doing({ do: 'pause' })).toContain('pauses before its next iteration');
  expect(await doing({ do: 'pause' })).toBe(`run ${LIVE_RUN} is already paused`);
  expect(await doing({ do: 'resume' })).toBe(`run ${LIVE_RUN} continues with its next turn`);
  expect(await doing({ do: 'note', text: 'use tabs' })).toContain(`the next prompt of run ${LIVE_RUN} contains it`);
  expect(await doing({ do: 'limits', limits: { maxCost: 7 } })).toContain('--max-cost $7.00');
  expect(await doing({ do: 'stop', now: true })).toContain('ends with its next turn: nothing is running now');
  expect(await doing({ do: 'stop', now: false })).toContain('was already asked to stop');
});

test('notes and limits', async () => {
  await startLiveRun(repo);
  expect(await doing({ do: 'note', text: ' use tabs\r\n' })).toContain(
    `the next prompt of run ${LIVE_RUN} contains it`,
  );
  expect(await doing({ do: 'limits', limits: { maxIterations: 500, maxCost: 7 } })).toBe(
    `run ${LIVE_RUN} has new limits: --max-iterations 100 (was 15), --max-cost $7.00 (was none). ` +
      '--max-iterations 500 is capped at 100; the setting maxAllowedIterations raises the cap',
  );
  expect(await saidTo(repo)).toEqual([
    { kind: 'note', text: 'use tabs' },
    { kind: 'limits', run: LIVE_RUN, limits: { maxIterations: 100, maxCost: 7 } },
  ]);
});

test.each<[ControlAction, string]>([
  [{ do: 'pause' }, 'no run is active here'],
  [{ do: 'limits', limits: { maxCost: 3 } }, 'no run is active here'],
  [{ do: 'limits', limits: { maxCost: -3 } }, 'maxCost takes an amount above 0'],
  [{ do: 'note', text: ' ' }, 'the note is empty'],
  [{ do: 'answer', question: 'Q7', text: 'yes', run: LIVE_RUN }, "there is no question 'Q7'"],
  [{ do: 'story', story: 'US-04', title: 'x', run: LIVE_RUN, decision: 'approve' }, 'did you mean US-004?'],
])('%j is refused, as the command would', async (action, what) => {
  if ('run' in action) await writeLiveRecord(repo, { ended: { reason: 'complete', at: 0 } });
  const refused = operate(repo.root, action);
  await expect(refused).rejects.toThrow(UsageError);
  await expect(refused).rejects.toThrow(what);
});

test('an answer, a decision and the breaker need no run', async () => {
  await writeLiveRecord(repo, { ended: { reason: 'complete', at: 0 } });
  await writeLedger(repo, anAsked('question Q1: cents?', 'US-002', 1));
  expect(await doing({ do: 'answer', question: 'q1', text: 'cents', run: LIVE_RUN })).toContain('Q1 is answered');
  expect(await doing({ do: 'story', story: 'US-002', title: 'Sum up', run: LIVE_RUN, decision: 'approve' })).toContain(
    'US-002 is approved',
  );
  expect(await doing({ do: 'reset-circuit' })).toBe('the circuit breaker is already closed; nothing to reset');
});

test('the stories are those of the last run, wherever a search would end', async () => {
  await repo.write('.ralph/PRD-2/tasks.json', backlogText.replaceAll('US-00', 'P-'));
  await writeLiveRecord(repo, { specDir: '.ralph/PRD-2', ended: { reason: 'complete', at: 0 } });
  expect(
    await doing({ do: 'story', story: 'P-3', title: 'Give change', run: LIVE_RUN, decision: 'approve' }),
  ).toContain('P-3 is approved');
});

test('inside an agent nothing of it works', async () => {
  await startLiveRun(repo);
  vi.stubEnv('RALPH_RUN_ID', LIVE_RUN);
  try {
    await expect(operate(repo.root, { do: 'stop', now: true })).rejects.toThrow('ralph stop is not for agents');
    await expect(
      operate(repo.root, { do: 'story', story: 'US-002', title: 'Sum up', run: LIVE_RUN, decision: 'approve' }),
    ).rejects.toThrow('not for');
  } finally {
    vi.unstubAllEnvs();
  }
  expect(await saidTo(repo)).toEqual([]);
});

test('where the surface was started from does not matter', async () => {
  vi.stubEnv('PRD_NUMBER', '7');
  vi.stubEnv('RALPH_ROOT', '/projects/app');
  await writeLiveRecord(repo, { ended: { reason: 'complete', at: 0 } });
  try {
    expect(
      await doing({ do: 'story', story: 'US-003', title: 'Give change', run: LIVE_RUN, decision: 'approve' }),
    ).toContain('US-003 is approved');
  } finally {
    vi.unstubAllEnvs();
  }
});

test('a run that was cut off is told what to do with a story when it is picked up', async () => {
  await appendSteering(stateDirOf(repo), { kind: 'note', text: 'before', at: 0 });
  const header = { version: 1, run: LIVE_RUN, iteration: 1, mode: 'implement', story: 'US-003', attempt: 1 };
  const rest = { startedAt: 0, checkpoint: {}, trust: {} };
  await writeLiveRecord(repo);
  await repo.write('.git/ralph/journal/lane-0.json', JSON.stringify({ ...header, ...rest, phase: 'checkpointed' }));
  expect(await doing({ do: 'story', story: 'US-003', title: 'Give change', run: LIVE_RUN, decision: 'approve' })).toBe(
    'US-003 will be approved by the next run, after it has recovered what was cut off',
  );
  expect((await saidTo(repo)).at(-1)).toMatchObject({ kind: 'story', story: 'US-003' });
});

const approve = { do: 'story', story: 'US-003', title: 'Give change', run: LIVE_RUN, decision: 'approve' } as const;
const OTHER_DAY = 'what was shown is not the current backlog, and nothing was changed';

test('a story of an earlier run, or whose id is of another story by now, is not decided about', async () => {
  await writeLiveRecord(repo, { ended: { reason: 'complete', at: 0 } });
  const earlier = { ...approve, run: '20261121-030000-abcd' };
  await expect(doing(earlier)).rejects.toMatchObject({
    facts: { what: OTHER_DAY, why: expect.stringMatching(/is not the last run/) },
  });
  await expect(doing({ ...approve, title: 'Count the till' })).rejects.toMatchObject({
    facts: { what: OTHER_DAY, why: 'US-003 is now another story: "Give change"' },
  });
  await expect(doing({ do: 'answer', question: 'Q1', text: 'yes', run: earlier.run })).rejects.toThrow(OTHER_DAY);
  expect(await repo.read('ralph/tasks.json')).toBe(backlogText);
  expect(await doing(approve)).toContain('US-003 is approved');
});

test('once the stories of a run were archived none of them is decided about, though an id is there again', async () => {
  await writeLiveRecord(repo, { ended: { reason: 'complete', at: 0 } });
  const archived = archiveLine(['US-003'], 'till', Date.UTC(2026, 10, 22, 5));
  await appendLedger(stateDirOf(repo), archived);
  await expect(doing(approve)).rejects.toMatchObject({
    facts: { what: OTHER_DAY, why: `the stories of run ${LIVE_RUN} were archived` },
  });
  expect(await repo.read('ralph/tasks.json')).toBe(backlogText);
});
