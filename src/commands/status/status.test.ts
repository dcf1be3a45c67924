import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  backlogText,
  freshRepository,
  makeRepository,
  type Repository,
} from '../../../test/support/command-repository.ts';
import { appendLedger } from '../../adapters/workspace/index.ts';
import type { EndReason } from '../../contracts/index.ts';
import { aLine } from '../../rules/safeguards/ledger.fixture.ts';
import { LIVE_RUN, writeLedger, writeLiveRecord } from '../shared/live-run.fixture.ts';

let repo: Repository;
beforeAll(async () => {
  repo = await makeRepository({ 'ralph/tasks.json': backlogText });
});
afterAll(() => repo.remove());

test('ralph status tells where it stands and what comes next', async () => {
  const { code, out } = await repo.ralph('status');
  expect(code).toBe(0);
  expect(out.replace(/^project .*$/m, 'project …')).toMatchInlineSnapshot(`
    "project …
    spec     ralph
    run      none yet
    stories  4 stories · 1 done · 1 needs review · 2 to do
    up next  review · US-002 Sum up

    next: ralph run --dry-run  shows the plan and the prompt; then \`ralph run\`
    "
  `);
});

test('bare ralph is the same as ralph status', async () => {
  expect(await repo.ralph()).toEqual(await repo.ralph('status'));
});

test('ralph status --json is data', async () => {
  expect(JSON.parse((await repo.ralph('status', '--json')).out)).toMatchObject({
    branch: 'main',
    run: null,
    stories: { total: 4, done: 1 },
    next: { command: 'ralph run --dry-run' },
  });
});

test('without a spec folder bare ralph welcomes, the other commands end with 2 and name ralph init', async () => {
  const empty = await freshRepository();
  const home = await empty.ralph();
  expect(home.code).toBe(0);
  expect(home.out).toContain('ralph init');
  expect(home.out).toContain('ralph demo');
  for (const line of [['status'], ['stories'], ['validate']]) {
    const { code, err } = await empty.ralph(...line);
    expect(code).toBe(2);
    expect(err).toContain('ralph init');
  }
});

test('an open breaker is the first thing to look at, and a dry run says that no iteration would start', async () => {
  const stuck = await freshRepository({ 'ralph/tasks.json': backlogText });
  for (const iteration of [1, 2, 3]) {
    const line = aLine({ iteration, story: 'US-002', verdict: 'no-progress', counts: 'bad', startedAt: Date.now() });
    await appendLedger(`${stuck.root}/.git/ralph`, line);
  }
  const { out } = await stuck.ralph('status');
  expect(out).toMatch(/^limits {3}breaker open · 3 of 100 calls in the last hour\n {9}3 iterations in a row/m);
  expect(out).toContain('next: ralph circuit status');
  expect(JSON.parse((await stuck.ralph('status', '--json')).out)).toMatchObject({
    safeguards: { breaker: { state: 'open', cause: 'no-progress' }, calls: { used: 3, limit: 100 } },
  });

  const plan = await stuck.ralph('run', '--dry-run');
  expect(plan.code).toBe(0);
  expect(plan.out).toMatch(/^gate {6}closed: the run would end at once \(circuit\) · 3 iterations in a row/m);
  expect((await stuck.ralph('run', '--dry-run', '--reset-circuit')).out).not.toMatch(/^gate/m);
  const limited = await stuck.ralph('run', '--dry-run', '--reset-circuit', '--calls', '2', '--json');
  expect(JSON.parse(limited.out)).toMatchObject({ gate: { kind: 'wait', why: 'rate' } });
});

test('a configuration with faults does not hide where it stands', async () => {
  const faulty = await freshRepository({ 'ralph/tasks.json': backlogText, 'ralph.config.json': '{"calls":0}' });
  const { code, out } = await faulty.ralph('status');
  expect(code).toBe(0);
  expect(out).toContain('stories  4 stories');
  expect(out).toMatch(/^config {3}it cannot be read: ralph doctor$/m);
});

test('a lone prompt is no story to count', async () => {
  const lone = await freshRepository({ 'PROMPT.md': 'Make it faster.\n' });
  expect((await lone.ralph('status')).out).toMatch(/^stories {2}none, but one prompt/m);
});

describe('what the last run came to', () => {
  const ended = (reason: EndReason) => ({ ended: { reason, at: Date.now() } });

  test('free iterations do not run ahead of the limit', async () => {
    const repository = await freshRepository({ 'ralph/tasks.json': backlogText });
    const free = { run: LIVE_RUN, verdict: 'limited', counts: 'ignored' } as const;
    await writeLedger(repository, aLine({ ...free, iteration: 1 }), aLine({ run: LIVE_RUN, iteration: 2 }));
    await writeLiveRecord(repository, { maxIterations: 1, ...ended('iterations') });
    const { out } = await repository.ralph('status');
    expect(out).toContain('out of iterations · iteration 2 · 1 of 1 used · last: accepted');
    expect(JSON.parse((await repository.ralph('status', '--json')).out)).toMatchObject({
      run: { iteration: 2, used: 1, maxIterations: 1 },
    });
  });

  test('a start that did nothing does not hide the run before it', async () => {
    const repository = await freshRepository({ 'ralph/tasks.json': backlogText });
    await writeLedger(repository, aLine({ run: '20261121-030000-aaaa', iteration: 7, costUsd: 0.5 }));
    await writeLiveRecord(repository, ended('circuit'));
    const { out } = await repository.ralph('status');
    expect(out).toContain(`run      ${LIVE_RUN} · stopped: no progress · no iteration\n`);
    expect(out).toContain('before   20261121-030000-aaaa · iteration 7 · last: accepted · $0.50\n');
  });

  test('a lone prompt that is blocked says why, and what its agent can be told', async () => {
    const repository = await freshRepository({ 'PROMPT.md': 'Make it faster.\n' });
    await writeLedger(repository, aLine({ run: LIVE_RUN, iteration: 1, blocked: 'needs a key' }));
    await writeLiveRecord(repository, ended('blocked'));
    const { out } = await repository.ralph('status');
    expect(out).toMatch(/^run .*blocked, needs you.*\n {9}needs a key$/m);
    expect(out).toContain('next: ralph steer "…"');
  });
});
