// @module-tag long
import { afterEach, describe, expect, test } from 'vitest';
import { easySteps, makeProject, type Project } from '../support/project.ts';
import { eventsOf, ledgerOf } from '../support/records.ts';

/** The breaker: opens when the loop gets nowhere, says why, and stays open until somebody closes it. */

let project: Project;
afterEach(() => project?.remove());

const THREE = ['US-001', 'US-002', 'US-003'].map((id) => ({ id }));
const IDLE = { do: [{ say: 'I looked around.' }] };
const circuits = async () =>
  ((await eventsOf(project)) as readonly { type: string; from: string; to: string; reason: string }[]).filter(
    ({ type }) => type === 'circuit',
  );

describe('an agent that gets nothing done', () => {
  test('opens the breaker: exit 3, with the evidence and what to do, also for every later start', {
    tags: ['promise'],
  }, async () => {
    project = await makeProject({ stories: THREE, steps: [IDLE] });
    const { code, stdout } = await project.run(['--story-max-attempts', '5']);
    expect(code).toBe(3);
    expect(await ledgerOf(project)).toHaveLength(3);
    expect(stdout).toContain('STOPPED: no progress');
    expect(stdout).toContain('ralph circuit reset');
    expect((await circuits()).map(({ from, to }) => `${from} > ${to}`)).toEqual([
      'closed > half-open',
      'half-open > open',
      'open > open',
    ]);
    const again = await project.run(['--story-max-attempts', '5']);
    expect(again.code).toBe(3);
    expect(await ledgerOf(project)).toHaveLength(3);
  });

  test('blocks its story first, where attempts run out before that', async () => {
    project = await makeProject({ stories: THREE, steps: [IDLE] });
    expect((await project.run()).code).toBe(3);
    const blocked = (await ledgerOf(project)).map(({ story, blocked: why }) => [story, why !== null]);
    expect(blocked).toEqual([
      ['US-001', false],
      ['US-001', false],
      ['US-001', true],
      ['US-002', false],
      ['US-002', false],
      ['US-002', true],
    ]);
    expect((await project.stories())[2]).not.toHaveProperty('blocked');
  });

  test('trips it although it deletes .ralph/ every time', async () => {
    project = await makeProject({ stories: THREE, steps: [{ do: [{ run: 'rm -rf .ralph' }, { say: 'tidied up' }] }] });
    expect((await project.run()).code).toBe(3);
    expect(await ledgerOf(project)).toHaveLength(6);
    expect((await project.run()).code).toBe(3);
  });

  test('trips it in the same iteration when the loop is killed after each one', async () => {
    project = await makeProject({ stories: THREE, steps: [IDLE] });
    let starts = 0;
    for (let signal: string | null = 'SIGKILL'; signal !== null; starts += 1) {
      const ended = await project.run([], { RALPH_CRASHPOINT: 'done' });
      signal = ended.signal;
      if (signal === null) expect(ended.code).toBe(3);
    }
    expect(starts).toBe(7);
    const lines = await ledgerOf(project);
    expect(lines).toHaveLength(6);
    expect(new Set(lines.map(({ run }) => run)).size).toBe(1);
  });
});

test('the prompt of the last chance says what stagnates', async () => {
  project = await makeProject({
    stories: THREE,
    steps: [
      { when: { iteration: [1, 2] }, ...IDLE },
      { do: [{ 'expect-prompt': 'about to give up' }, ...((easySteps('US-001')[0]?.['do'] as object[]) ?? [])] },
    ],
  });
  expect((await project.run(['--max-iterations', '3'])).code).toBe(1);
  expect((await ledgerOf(project)).at(-1)).toMatchObject({ verdict: 'accepted' });
  expect((await circuits()).map(({ to }) => to)).toEqual(['half-open', 'closed']);
});

test('a person closes it, by its own command or with the next start', async () => {
  project = await makeProject({ stories: THREE, steps: [IDLE] });
  const run = (...more: string[]) => project.run(['--story-max-attempts', '9', ...more]);
  expect((await run()).code).toBe(3);
  expect((await project.ralph(['circuit', 'reset'])).code).toBe(0);
  expect((await run()).code).toBe(3);
  expect(await ledgerOf(project)).toHaveLength(3 + 1 + 3);
  expect((await run('--reset-circuit', '--once')).code).toBe(1);
  expect((await ledgerOf(project)).filter(({ kind }) => kind === 'circuit-reset')).toHaveLength(2);
});

test('after a cool-down one iteration tries again', async () => {
  project = await makeProject({
    stories: [{ id: 'US-001' }],
    files: { 'ralph.config.json': '{"circuit": {"cooldown": "2s"}, "storyMaxAttempts": 9}' },
    steps: [{ when: { iteration: [1, 2, 3] }, ...IDLE }, ...easySteps('US-001')],
  });
  expect((await project.run()).code).toBe(0);
  expect((await circuits()).map(({ to }) => to)).toEqual(['half-open', 'open', 'closed']);
});
