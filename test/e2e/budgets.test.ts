// @module-tag long
import { afterEach, describe, expect, test } from 'vitest';
import { easySteps, makeProject, type Project } from '../support/project.ts';
import { eventsOf, ledgerOf } from '../support/records.ts';
import { until } from '../support/until.ts';

/** What a run and a story may use: the agent is stopped when it is spent, and nothing of its work is lost. */

let project: Project;
afterEach(() => project?.remove());

const TWO = [{ id: 'US-001' }, { id: 'US-002' }];
const usage = (cost: number, tokens = 100) => ({ usage: { input: tokens, output: 0, cost } });
const events = async () =>
  (await eventsOf(project)) as readonly { readonly type: string; readonly [f: string]: unknown }[];

/** Reports what it used, leaves a file, and never ends by itself. */
const SPENDER = { do: [{ write: { path: 'half.txt', content: 'half done\n' } }, usage(6, 5_000), { hang: true }] };

describe('a budget of the run', () => {
  test.each([
    ['cost', ['--max-cost', '5'], 5],
    ['tokens', ['--max-tokens', '4000'], 4_000],
    ['duration', ['--max-duration', '3s'], 3_000],
  ] as const)('of %s stops the agent and ends the run with exit 5', async (budget, flags, limit) => {
    project = await makeProject({ stories: TWO, steps: [SPENDER] });
    const { code, stdout } = await project.run([...flags]);
    expect(code).toBe(5);
    expect(stdout).toContain('STOPPED: a budget is spent');
    const [line] = await ledgerOf(project);
    expect(line).toMatchObject({ verdict: 'interrupted', counts: 'ignored', overrun: { budget, limit } });
    expect(await project.git('show', `${line?.rescue}:half.txt`)).toBe('half done');
    expect(await project.git('status', '--porcelain')).toBe('');
  });

  test('is counted over the iterations, and what is done in time counts', async () => {
    const steps = TWO.flatMap(({ id }) =>
      easySteps(id).map((step) => ({
        ...step,
        do: [...((step['do'] as object[]) ?? []), usage(2), { sleep: '400ms' }],
      })),
    );
    project = await makeProject({ stories: TWO, steps });
    expect((await project.run(['--max-cost', '5'])).code).toBe(5);
    expect((await ledgerOf(project)).map(({ verdict }) => verdict)).toEqual(['accepted', 'accepted', 'interrupted']);
    // Another run has a budget of its own; the third story part costs 2, the fourth 2 more.
    expect((await project.run(['--max-cost', '5'])).code).toBe(0);
  });

  test('that the last story spends does not spoil a complete run', { tags: ['promise'] }, async () => {
    const steps = easySteps('US-001').map((step) => ({
      ...step,
      do: [...((step['do'] as object[]) ?? []), usage(2), { sleep: '400ms' }],
    }));
    project = await makeProject({ stories: [{ id: 'US-001' }], steps });
    expect((await project.run(['--max-cost', '4.01'])).code).toBe(0);
  });

  test('survives kill -9: the run goes on with what is left of it', async () => {
    const steps = TWO.flatMap(({ id }) =>
      easySteps(id).map((step) => ({
        ...step,
        do: [...((step['do'] as object[]) ?? []), usage(2), { sleep: '400ms' }],
      })),
    );
    project = await makeProject({ stories: TWO, steps });
    const killed = await project.run(['--max-cost', '5'], { RALPH_CRASHPOINT: 'done#2' });
    expect(killed.signal).toBe('SIGKILL');
    // Not given again: a run keeps the limits that it was started with.
    expect((await project.run()).code).toBe(5);
    expect((await ledgerOf(project)).map(({ verdict }) => verdict)).toEqual(['accepted', 'accepted', 'interrupted']);
  });

  test('counts what an agent reported before the loop was killed', async () => {
    project = await makeProject({ stories: TWO, steps: [{ do: [usage(0.4), { hang: true }] }] });
    for (const iteration of [1, 2]) {
      const { child, ended } = project.start(['run', '--scenario', project.scenario, '--max-cost', '1']);
      await until(async () => {
        const entry = JSON.parse(await project.read('.git/ralph/journal/lane-0.json'));
        return entry.iteration === iteration && entry.costUsd === 0.4;
      });
      child.kill('SIGKILL');
      await ended;
    }
    expect((await project.run()).code).toBe(5);
    expect((await ledgerOf(project)).map(({ verdict }) => verdict)).toEqual(Array(3).fill('interrupted'));
  });
});

describe('between the tries of an iteration', () => {
  const flaky = {
    files: { 'ralph.config.json': '{"transient": {"delay": "10m"}}' },
    stories: TWO,
    steps: [
      { when: { try: 1 }, do: [{ fail: { kind: 'network', message: 'connection reset' } }] },
      ...easySteps('US-001'),
    ],
  };

  test('a budget ends the run', async () => {
    project = await makeProject(flaky);
    expect((await project.run(['--max-duration', '3s'])).code).toBe(5);
  });

  test('a person is heard', async () => {
    project = await makeProject(flaky);
    const { ended } = project.start(['run', '--scenario', project.scenario]);
    await until(async () => (await events()).some(({ type }) => type === 'transient'));
    expect((await project.ralph(['stop'])).code).toBe(0);
    expect((await ended).code).toBe(1);
    expect(await ledgerOf(project)).toMatchObject([{ verdict: 'interrupted', counts: 'ignored' }]);
  });

  test('the rate limit is waited for, until it is raised', async () => {
    project = await makeProject({ ...flaky, files: { 'ralph.config.json': '{"transient": {"delay": "0s"}}' } });
    const { ended } = project.start(['run', '--scenario', project.scenario, '--story', 'US-001', '--calls', '1']);
    await until(async () => (await events()).some(({ type, why }) => type === 'wait' && why === 'rate'));
    expect((await project.ralph(['steer', '--calls', '9'])).code).toBe(0);
    expect((await ended).code).toBe(0);
  });
});

test('a story that spent its budget is blocked, and the loop continues with the others', {
  tags: ['promise'],
}, async () => {
  project = await makeProject({
    stories: TWO,
    steps: [{ when: { story: 'US-001' }, ...SPENDER }, ...easySteps('US-002')],
  });
  expect((await project.run(['--story-max-cost', '5'])).code).toBe(6);
  const [first, second] = await project.stories();
  expect(first?.['blocked']).toMatch(/budget/);
  expect(second).toMatchObject({ passes: true, reviewStatus: 'approved' });
  expect((await events()).filter(({ type }) => type === 'circuit')).toEqual([]);
});

test('a budget trips although the agent deletes .ralph/ every time', async () => {
  project = await makeProject({
    stories: TWO,
    steps: [{ do: [{ run: 'rm -rf .ralph' }, usage(2), { write: { path: 'more.txt', content: 'x' } }, { say: 'on' }] }],
  });
  expect((await project.run(['--max-cost', '3'])).code).toBe(5);
  expect((await ledgerOf(project)).length).toBeLessThanOrEqual(2);
});
