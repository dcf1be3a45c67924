import { beforeEach, describe, expect, test } from 'vitest';
import { freshRepository, type Repository } from '../../../test/support/command-repository.ts';
import { acquireRunLock, appendSteering } from '../../adapters/workspace/index.ts';
import { aLine } from '../../rules/safeguards/ledger.fixture.ts';
import {
  LIVE_RUN,
  saidTo,
  startLiveRun,
  stateDirOf,
  writeLedger,
  writeLiveRecord,
} from '../shared/live-run.fixture.ts';

let repo: Repository;
beforeEach(async () => {
  repo = await freshRepository({ 'deep/down/file.txt': 'x\n' });
});

describe('ralph steer with a text', () => {
  test('is for the next prompt of the live run', async () => {
    await startLiveRun(repo);
    const { code, out } = await repo.ralph('steer', 'the API', 'moved');
    expect({ code, out }).toEqual({
      code: 0,
      out: `noted: the next prompt of run ${LIVE_RUN} contains it, once\n`,
    });
    expect(await saidTo(repo)).toEqual([{ kind: 'note', text: 'the API moved' }]);
  });

  test('waits for the next run where none is under way, from any folder of the project', async () => {
    const { code, out } = await repo.ralph('steer', 'use tabs', '-d', `${repo.root}/deep/down`);
    expect({ code, out }).toEqual({
      code: 0,
      out: 'noted: no run is active, so the first prompt of the next one contains it\n',
    });
    expect(await saidTo(repo)).toEqual([{ kind: 'note', text: 'use tabs' }]);
  });

  test.each([
    ['', 'the note is empty'],
    ['bell \u0007', 'the note contains the control character U+0007'],
    ['x'.repeat(66_000), 'the note has 66000 bytes'],
  ])('refuses what no prompt should carry (%#)', async (text, message) => {
    const { code, err } = await repo.ralph('steer', text);
    expect(code).toBe(2);
    expect(err).toContain(message);
    expect(await saidTo(repo)).toEqual([]);
  });

  test('keeps line breaks, whoever typed them', async () => {
    await repo.ralph('steer', 'one\r\ntwo\n');
    expect(await saidTo(repo)).toEqual([{ kind: 'note', text: 'one\ntwo' }]);
  });
});

describe('ralph steer with limits', () => {
  test('says what they were and are', async () => {
    await startLiveRun(repo, {
      limits: {
        maxIterations: 20,
        calls: 100,
        maxCost: 5,
        maxTokens: null,
        maxDurationMs: null,
        storyMaxCost: null,
        storyMaxAttempts: 3,
      },
    });
    await repo.ralph('steer', '--max-cost', '7');
    const { code, out } = await repo.ralph(
      ...['steer', '--max-cost', '9.50', '--max-iterations', '30', '--max-duration', '2h', '--calls', '50'],
      ...['--max-tokens', '1000000', '--story-max-cost', '2', '--story-max-attempts', '5'],
    );
    expect(code).toBe(0);
    expect(out).toBe(
      [
        `run ${LIVE_RUN} has new limits:`,
        '  --max-iterations 30 (was 20)',
        '  --calls 50 per hour (was 100 per hour)',
        '  --max-cost $9.50 (was $7.00)',
        '  --max-tokens 1000000 (was none)',
        '  --max-duration 2h 00m (was none)',
        '  --story-max-cost $2.00 (was none)',
        '  --story-max-attempts 5 (was 3)',
        '',
      ].join('\n'),
    );
    expect((await saidTo(repo)).at(-1)).toEqual({
      kind: 'limits',
      run: LIVE_RUN,
      limits: {
        maxIterations: 30,
        calls: 50,
        maxCost: 9.5,
        maxTokens: 1_000_000,
        maxDurationMs: 7_200_000,
        storyMaxCost: 2,
        storyMaxAttempts: 5,
      },
    });
  });

  test('goes together with a text, and both are data with --json', async () => {
    await startLiveRun(repo);
    const { out } = await repo.ralph('steer', 'finish soon', '-n', '14', '--json');
    expect(JSON.parse(out)).toMatchObject({
      run: LIVE_RUN,
      note: { text: 'finish soon', id: expect.any(String) },
      limits: { was: { maxIterations: 15 }, is: { maxIterations: 14 } },
    });
    expect(await saidTo(repo)).toHaveLength(2);
  });

  test('caps the iterations as a start does, and says so', async () => {
    await startLiveRun(repo);
    const { code, out, err } = await repo.ralph('steer', '--max-iterations', '500');
    expect(code).toBe(0);
    expect(err).toContain('capped at 100');
    expect(out).toContain('--max-iterations 100 (was 15)');
  });

  test('needs a live run: nothing is said at all without one', async () => {
    const { code, err } = await repo.ralph('steer', 'and hurry', '--max-cost', '5');
    expect(code).toBe(2);
    expect(err).toContain('no run is active here');
    expect(await saidTo(repo)).toEqual([]);
  });

  test.each([
    [['--max-cost', '0'], '--max-cost does not take'],
    [['--max-iterations', 'many'], '--max-iterations must be a whole number'],
    [['--max-duration', '0s'], '--max-duration does not take'],
    [['--max-costs', '5'], 'Did you mean --max-cost?'],
  ])('%j ends with 2', async (line, message) => {
    await startLiveRun(repo);
    const { code, err } = await repo.ralph('steer', ...line);
    expect(code).toBe(2);
    expect(err).toContain(message);
    expect(await saidTo(repo)).toEqual([]);
  });
});

describe('ralph steer alone', () => {
  test('lists the notes that no prompt has carried', async () => {
    const carried = await appendSteering(stateDirOf(repo), { kind: 'note', text: 'old', at: 0 });
    await writeLedger(repo, aLine({ steers: [carried.id] }));
    await repo.ralph('steer', 'new\nof two lines');
    const { code, out } = await repo.ralph('steer');
    expect(code).toBe(0);
    expect(out.replace(/^\d{4}-\d\d-\d\d \d\d:\d\d/, 'TIME')).toBe('TIME  new\n                  of two lines\n');
    expect(JSON.parse((await repo.ralph('steer', '--json')).out).notes).toMatchObject([{ text: 'new\nof two lines' }]);
  });

  test('says when there are none', async () => {
    expect((await repo.ralph('steer')).out).toContain('no notes');
  });
});

describe('pause, resume and stop', () => {
  test.each([['pause'], ['resume'], ['stop']])(
    'ralph %s without a run ends with 2 and says how to go on',
    async (word) => {
      const { code, out, err } = await repo.ralph(word);
      expect({ code, out }).toEqual({ code: 2, out: '' });
      expect(err).toContain('no run is active here');
      expect(err).toContain('`ralph run` starts one');
      await writeLiveRecord(repo);
      expect((await repo.ralph(word)).err).toContain(`run ${LIVE_RUN} was cut off`);
      await writeLiveRecord(repo, { ended: { reason: 'complete', at: 0 } });
      expect((await repo.ralph(word)).err).not.toContain('was cut off');
      expect(await saidTo(repo)).toEqual([]);
    },
  );

  /** One command after the other: what it answers, and whether that changed anything. */
  async function words(...lines: readonly string[]): Promise<readonly (readonly [string, boolean])[]> {
    const answers: (readonly [string, boolean])[] = [];
    for (const line of lines) {
      const { code, out } = await repo.ralph(...line.split(' '), '--json');
      expect(code).toBe(0);
      const { run, changed, text } = JSON.parse(out);
      expect(run).toBe(LIVE_RUN);
      answers.push([text, changed]);
    }
    return answers;
  }

  test('pausing and resuming twice is said once', async () => {
    await startLiveRun(repo);
    expect(await words('resume', 'pause', 'pause', 'resume', 'resume')).toEqual([
      ['is not paused', false],
      ['pauses before its next iteration; continue with: ralph resume', true],
      ['was already asked to pause after this iteration', false],
      ['continues', true],
      ['is not paused', false],
    ]);
    expect(await saidTo(repo)).toEqual([
      { kind: 'pause', run: LIVE_RUN },
      { kind: 'resume', run: LIVE_RUN },
    ]);
  });

  test('stopping now makes more of stopping, not the other way round', async () => {
    await startLiveRun(repo);
    expect(await words('stop', 'stop', 'pause', 'stop --now', 'stop')).toEqual([
      ['stops after this iteration; at once: ralph stop --now', true],
      ['was already asked to stop after this iteration; at once: ralph stop --now', false],
      ['does not pause: it was asked to stop; `ralph resume` cancels that', false],
      ["stops now; the agent's work of this iteration is kept in a rescue", true],
      ['was already asked to stop now', false],
    ]);
    expect(await saidTo(repo)).toEqual([
      { kind: 'stop', run: LIVE_RUN, now: false },
      { kind: 'stop', run: LIVE_RUN, now: true },
    ]);
  });

  test('resuming takes back a stop', async () => {
    await startLiveRun(repo);
    expect(await words('stop', 'resume', 'stop')).toEqual([
      ['stops after this iteration; at once: ralph stop --now', true],
      ['continues, and does not stop', true],
      ['stops after this iteration; at once: ralph stop --now', true],
    ]);
  });

  test('a run that waits is told apart from one that works', async () => {
    await startLiveRun(repo, { waiting: { why: 'pause', since: 0, until: null } });
    await appendSteering(stateDirOf(repo), { kind: 'pause', run: LIVE_RUN, at: 0 });
    expect(await words('pause', 'stop')).toEqual([
      ['is already paused', false],
      ['ends: it was waiting, and nothing was running', true],
    ]);
  });

  test('resuming a run that waits for something else says until when', async () => {
    await startLiveRun(repo, { waiting: { why: 'limit', since: 0, until: Date.UTC(2026, 10, 22, 12) } });
    const [[text = ''] = []] = await words('resume');
    expect(text).toMatch(/^is not paused; it waits until 2026-11-2\d \d\d:00$/);
  });

  test('for people it is one line that names the run', async () => {
    await startLiveRun(repo);
    expect((await repo.ralph('stop')).out).toBe(
      `run ${LIVE_RUN} stops after this iteration; at once: ralph stop --now\n`,
    );
  });

  test('a marker with a fresh heartbeat is a sign of life, an old one is not', async () => {
    const marker = { version: 1, run: LIVE_RUN, pid: 1, host: 'container', heartbeat: new Date().toISOString() };
    await repo.write('.ralph-active', JSON.stringify(marker));
    expect((await repo.ralph('pause')).code).toBe(0);
    await repo.write('.ralph-active', JSON.stringify({ ...marker, heartbeat: '2026-01-01T00:00:00Z' }));
    expect((await repo.ralph('resume')).code).toBe(2);
  });

  test('another command that holds the lock is no run', async () => {
    const holder = { pid: process.pid, host: 'night', startedAt: '', run: 'ralph stories add' };
    const lock = await acquireRunLock(stateDirOf(repo), holder);
    try {
      expect((await repo.ralph('pause')).code).toBe(2);
    } finally {
      await lock.release();
    }
  });
});
