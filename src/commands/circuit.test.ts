import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { freshRepository, type Repository } from '../../test/support/command-repository.ts';
import { acquireRunLock, readLedger } from '../adapters/workspace/index.ts';
import { aLine } from '../rules/safeguards/ledger.fixture.ts';
import { LIVE_RUN, saidTo, startLiveRun, stateDirOf, writeLedger } from './shared/live-run.fixture.ts';

let repo: Repository;
beforeEach(async () => {
  repo = await freshRepository();
});

/** So many iterations in a row that did nothing; the third opens the breaker. */
async function bad(count: number): Promise<void> {
  for (let iteration = 1; iteration <= count; iteration++) {
    const startedAt = Date.now() - 60_000 + iteration;
    await writeLedger(
      repo,
      aLine({
        iteration,
        story: 'US-001',
        verdict: 'no-progress',
        counts: 'bad',
        reason: 'nothing changed',
        startedAt,
      }),
    );
  }
}

test('ralph circuit says that all is well, and what would open it', async () => {
  const { code, out } = await repo.ralph('circuit');
  expect({ code, out }).toEqual({
    code: 0,
    out: [
      'breaker   closed',
      'opens at  3 bad iterations in a row · the same error 5 times',
      '          half-open one step earlier, or when the output drops by more than 70 %',
      '          once open, only you can close it',
      'calls     0 of 100 in the last hour',
      '',
    ].join('\n'),
  });
});

test('an open breaker explains itself: since when, why, by which iterations, and what to do', async () => {
  await bad(3);
  const { code, out } = await repo.ralph('circuit', 'status');
  expect(code).toBe(0);
  expect(out).toMatch(/^breaker {3}open since \d{4}-\d\d-\d\d \d\d:\d\d\n/);
  for (const words of ['reason ', 'evidence ', 'iteration 3', 'nothing changed', 'fix ', 'ralph circuit reset']) {
    expect(out).toContain(words);
  }
  expect(out).toContain('calls     3 of 100 in the last hour');
  expect(JSON.parse((await repo.ralph('circuit', '--json')).out)).toMatchObject({
    state: 'open',
    cause: 'no-progress',
    badInRow: 3,
    thresholds: { noProgress: 3, sameError: 5, outputDecline: 70, cooldownMs: null },
    calls: { used: 3, limit: 100, freeAt: null },
  });
});

test('thresholds and calls are those of the configuration and of what the live run was told', async () => {
  await repo.write('ralph.config.json', '{ "calls": 7, "circuit": { "noProgress": 2, "cooldown": "30m" } }');
  await bad(2);
  expect((await repo.ralph('circuit')).out).toContain('one iteration may try again after 30m');
  expect(JSON.parse((await repo.ralph('circuit', '--json')).out)).toMatchObject({
    state: 'open',
    calls: { used: 2, limit: 7 },
  });
  await startLiveRun(repo);
  await repo.ralph('steer', '--calls', '2');
  const { calls } = JSON.parse((await repo.ralph('circuit', '--json')).out);
  expect(calls).toMatchObject({ used: 2, limit: 2, freeAt: expect.any(Number) });
});

test.each([
  ['ralph circuit reset', ['circuit', 'reset']],
  ['bare ralph --reset-circuit', ['--reset-circuit']],
])('%s closes it, once', async (_, line) => {
  await bad(3);
  expect(await repo.ralph(...line)).toEqual({
    code: 0,
    out: 'the circuit breaker was open and is closed now; continue with: ralph run\n',
    err: '',
  });
  expect((await readLedger(stateDirOf(repo))).at(-1)).toMatchObject({ kind: 'circuit-reset' });
  expect((await repo.ralph('circuit')).out).toMatch(/^breaker {3}closed\n/);
  expect((await repo.ralph(...line)).out).toBe('the circuit breaker is already closed; nothing to reset\n');
  expect(await readLedger(stateDirOf(repo))).toHaveLength(4);
});

test('--json goes with either spelling', async () => {
  await bad(2);
  expect(JSON.parse((await repo.ralph('--reset-circuit', '--json')).out)).toEqual({
    state: 'closed',
    was: 'half-open',
  });
});

test('during a run it is the run that closes it: the ledger is its own', async () => {
  await bad(3);
  await startLiveRun(repo);
  expect(await repo.ralph('circuit', 'reset')).toEqual({
    code: 0,
    out: `the circuit breaker is open; run ${LIVE_RUN} closes it before its next iteration\n`,
    err: '',
  });
  expect(await saidTo(repo)).toEqual([{ kind: 'circuit-reset' }]);
  expect(await readLedger(stateDirOf(repo))).toHaveLength(3);
});

test('another command at work keeps it from that: exit 4, naming who it is', async () => {
  await bad(2);
  const holder = { pid: process.pid, host: 'night', startedAt: '2026-11-22T03:00:00Z', run: 'ralph stories add' };
  const lock = await acquireRunLock(stateDirOf(repo), holder);
  onTestFinished(() => lock.release());
  const { code, err } = await repo.ralph('circuit', 'reset');
  expect(code).toBe(4);
  expect(err).toContain('ralph stories add');
  expect(await readLedger(stateDirOf(repo))).toHaveLength(2);
});
