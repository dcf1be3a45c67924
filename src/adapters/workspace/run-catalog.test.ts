import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { EventBody } from '../../contracts/index.ts';
import { aRunStart } from '../../contracts/run-start.fixture.ts';
import { systemClock } from '../../platform/index.ts';
import { openEventLog } from './events/events.ts';
import { knownTrees, listRunSummaries, projectAt, rememberProject, summariseRun } from './projects.ts';

const RUN = '20261121-233015-k3f9';
let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'ralph-catalogue-'));
});
afterEach(() => rm(root, { recursive: true, force: true }));

const start: EventBody = aRunStart({
  pid: process.pid,
});
const select: EventBody = { type: 'select', mode: 'review', story: 'US-001', title: 'One', attempt: 1, reviewCount: 0 };
const end: EventBody = {
  type: 'run-end',
  reason: 'complete',
  exitCode: 0,
  summary: 'complete: 2 of 2',
  stories: { total: 2, done: 2, blocked: 0 },
  costUsd: 1,
  usage: { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 },
  durationMs: 1,
};

async function logged(run: string, ...events: readonly (readonly [number, EventBody])[]): Promise<void> {
  const log = await openEventLog(root, run, systemClock);
  for (const [iteration, event] of events) log.emit(iteration, event);
  log.close();
}

async function mark(run: string, pid: number, heartbeat = new Date()): Promise<void> {
  const marker = { run, pid, host: hostname(), heartbeat: heartbeat.toISOString() };
  await writeFile(`${root}/.ralph-active`, JSON.stringify(marker));
}

describe('a run in one line', () => {
  test('while it works, and after its end', async () => {
    await logged(RUN, [0, start], [1, select]);
    await mark(RUN, process.pid);
    expect(await summariseRun(root, 'p', RUN)).toMatchObject({
      project: 'p',
      run: RUN,
      state: 'running',
      iteration: 1,
      mode: 'review',
      story: { id: 'US-001', title: 'One' },
      branch: 'ralph/login',
      ended: null,
    });
    await logged(RUN, [0, end]);
    expect(await summariseRun(root, 'p', RUN)).toMatchObject({
      state: 'ended',
      stories: { total: 2, done: 2, blocked: 0 },
      ended: { reason: 'complete', exitCode: 0 },
    });
  });

  test('a run that waits for a person is paused, one that waits for a moment is waiting', async () => {
    await mark(RUN, process.pid);
    await logged(RUN, [0, start], [0, { type: 'wait', why: 'pause', until: null, text: '' }]);
    expect((await summariseRun(root, 'p', RUN)).state).toBe('paused');
    await logged(RUN, [0, { type: 'wait', why: 'rate', until: 5, text: '' }]);
    expect((await summariseRun(root, 'p', RUN)).state).toBe('waiting');
  });

  test('a run whose process is gone, or whose marker is stale, was cut off', async () => {
    await logged(RUN, [0, start]);
    await mark(RUN, 2 ** 22 + 7);
    expect((await summariseRun(root, 'p', RUN)).state).toBe('cut-off');
    await mark(RUN, process.pid, new Date(Date.now() - 60_000));
    expect((await summariseRun(root, 'p', RUN)).state).toBe('cut-off');
  });

  test('a marker that an agent deleted does not make a run look dead', async () => {
    await logged(RUN, [0, start]);
    expect((await summariseRun(root, 'p', RUN)).state).toBe('running');
  });

  test('a log that was replaced is read anew', async () => {
    await logged(RUN, [0, start], [0, end]);
    await summariseRun(root, 'p', RUN);
    await rm(`${root}/.ralph`, { recursive: true });
    await logged(RUN, [0, { ...start, branch: 'other' }]);
    expect(await summariseRun(root, 'p', RUN)).toMatchObject({ branch: 'other', ended: null });
  });
});

test('runs are listed newest first, as many as were asked for', async () => {
  const names = ['20260101-000000-aaaa', '20260102-000000-bbbb', '20260103-000000-cccc'];
  for (const name of names) await logged(name, [0, start], [0, end]);
  const listed = await listRunSummaries({ id: 'p', root }, { limit: 2 });
  expect(listed.map(({ run }) => run)).toEqual([names[2], names[1]]);
});

describe('projects', () => {
  test('are remembered once each, and listed while they are there', async () => {
    const env = { XDG_STATE_HOME: `${root}/state` };
    const places = ['one', 'two', 'gone'].map((name) => ({ root: `${root}/${name}`, repository: `${root}/one/.git` }));
    for (const place of places) {
      await mkdir(place.root);
      await rememberProject(env, place);
      await rememberProject(env, place);
    }
    await rm(`${root}/gone`, { recursive: true });
    await writeFile(`${root}/state/ralph/projects/rubbish.json`, '{"root": 3}');
    const listed = await knownTrees(env);
    expect(listed.map(({ name, repository }) => [name, repository])).toEqual([
      ['one', `${root}/one/.git`],
      ['two', `${root}/one/.git`],
    ]);
    expect(new Set(listed.map(({ id }) => id)).size).toBe(2);
    expect(listed.every(({ id }) => /^[a-z0-9]{14}$/.test(id))).toBe(true);
  });

  test('one that cannot be remembered keeps no run from starting', async () => {
    await writeFile(`${root}/file`, '');
    await rememberProject({ XDG_STATE_HOME: `${root}/file` }, { root, repository: root });
    expect(await knownTrees({ XDG_STATE_HOME: `${root}/file` })).toEqual([]);
  });

  test('have the same id wherever they are asked for', () => {
    const place = { root: '/projects/app', repository: '/projects/app/.git' };
    expect(projectAt(place)).toEqual({ ...place, name: 'app', id: projectAt(place).id });
  });
});

describe('what else lies among the runs', () => {
  const project = () => ({ id: 'p', root });
  const later = '20261123-000000-aaaa';

  test('one whose log is of a later version is listed, saying so', async () => {
    await logged(RUN, [0, start], [0, end]);
    await mkdir(`${root}/.ralph/runs/${later}`, { recursive: true });
    await writeFile(`${root}/.ralph/runs/${later}/events.jsonl`, '{"type":"log","version":99}\n');
    const [first, second] = await listRunSummaries(project(), { limit: 10 });
    expect(first).toMatchObject({ run: later, state: 'ended', startedAt: null, needs: null });
    expect(first?.problem).toBe('the event log was written by a later version of ralph');
    expect(second).toMatchObject({ run: RUN, problem: null });
  });

  test('folders without an event are left out, however many there are', async () => {
    await logged(RUN, [0, start]);
    for (let n = 100; n < 160; n++) await mkdir(`${root}/.ralph/runs/99991231-235959-x${n}`);
    await mkdir(`${root}/.ralph/runs/${later}`);
    await writeFile(`${root}/.ralph/runs/${later}/events.jsonl`, `{"type":"log","version":1}\nrubbish\n`);
    await symlink(`${root}/.ralph/runs/${RUN}`, `${root}/.ralph/runs/20261124-000000-link`);
    expect((await listRunSummaries(project(), { limit: 10 })).map(({ run }) => run)).toEqual([RUN]);
  });

  test('only the last run waits for a person', async () => {
    const failed = { ...end, reason: 'budget', exitCode: 5 } as EventBody;
    await logged(RUN, [0, start], [0, failed]);
    expect((await listRunSummaries(project(), { limit: 10 }))[0]?.needs).toContain('a budget is spent');
    await logged(later, [0, start], [0, end]);
    expect((await listRunSummaries(project(), { limit: 10 })).map(({ needs }) => needs)).toEqual([null, null]);
  });
});
