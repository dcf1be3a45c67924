import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { afterEach, expect, test, vi } from 'vitest';
import { operate } from '../../src/commands/steer/operate.ts';
import type { ControlAction, StoryDecision } from '../../src/contracts/index.ts';
import { easySteps, makeProject, type Project, type ProjectOptions } from '../support/project.ts';
import { ledgerOf } from '../support/records.ts';
import { READY, write } from '../support/says.ts';
import { until } from '../support/until.ts';

/** What a person decides about stories and runs from a monitor or a dashboard, while the run works or waits. */

let project: Project;
let started: ReturnType<Project['start']> | undefined;
afterEach(async () => {
  started?.child.kill('SIGKILL');
  await started?.ended;
  started = undefined;
  vi.unstubAllEnvs();
  await project?.remove();
});

/** An iteration in this mode that goes on once the test lets it. */
const held = (mode: string, ...then: readonly object[]): NonNullable<ProjectOptions['steps']>[number] => ({
  when: { story: 'US-001', mode },
  do: [{ run: 'touch "$HOME/at-work"' }, { 'wait-for-file': '../outside/may-go' }, ...then],
});

async function runUntilHeld(step: ReturnType<typeof held>, ids: readonly string[], ...args: readonly string[]) {
  project = await makeProject({
    stories: ids.map((id) => ({ id })),
    steps: [step, ...ids.flatMap(easySteps)],
    verifyCommands: ['true'],
  });
  start(...args);
  await until(async () => existsSync(`${project.outside}/at-work`));
}

function start(...args: readonly string[]): void {
  started = project.start(['run', '--scenario', project.scenario, ...args]);
}

const letGo = () => writeFile(`${project.outside}/may-go`, '');
/** As a person's monitor does, with the state home of the run. */
const doing = async (action: ControlAction) => {
  vi.stubEnv('XDG_STATE_HOME', `${project.outside}/.local/state`);
  return (await operate(project.root, action)).text;
};
const decide = async (story: string, decision: StoryDecision) => {
  const title = String((await stateOf(story))?.['title']);
  return doing({ do: 'story', story, title, run: (await runRecord()).run, decision });
};
const runRecord = async () => JSON.parse(await project.read('.git/ralph/run.json'));
const stateOf = async (id: string) => (await project.stories()).find((story) => story['id'] === id);
const ended = async () => {
  if (!started) throw new Error('no run was started');
  return started.ended;
};
const work = async () =>
  (await ledgerOf(project)).flatMap((line) => (line.kind === 'iteration' ? `${line.story} ${line.mode}` : []));

test('a story that is approved while somebody works on it is done after that iteration, without a review', async () => {
  await runUntilHeld(held('implement', write('src/US-001.txt', 'made\n'), READY), ['US-001', 'US-002']);
  const text = await decide('US-001', 'approve');
  expect(text).toMatch(/^US-001 will be approved by run \S+ before its next iteration$/);
  expect(await stateOf('US-001')).toMatchObject({ passes: false });
  await letGo();
  const { code, stdout } = await ended();
  expect(code, stdout).toBe(0);
  expect(await work()).toEqual(['US-001 implement', 'US-002 implement', 'US-002 review']);
  expect(await stateOf('US-001')).toMatchObject({ passes: true, reviewStatus: 'approved' });
  expect(stdout).toContain('story     US-001: needs review → approved (approved by the user)');
  expect((await project.ralph(['stories', 'show', 'US-001'])).stdout).toContain('by a person');
  expect(await project.git('status', '--porcelain')).toBe('');
});

test('a story that is opened again while its review approves it is to do again', async () => {
  const approves = { status: { STATUS: 'COMPLETE', REVIEW: 'APPROVED', EXIT_SIGNAL: true } };
  await runUntilHeld(held('review', approves), ['US-001'], '-n', '2');
  await decide('US-001', 'reopen');
  await letGo();
  const { code, stdout } = await ended();
  expect(code, stdout).toBe(1);
  expect(await stateOf('US-001')).toMatchObject({ passes: false, reviewStatus: null, reviewCount: 0 });
  expect(stdout).toContain('(reopened by the user)');
  expect((await ledgerOf(project)).filter(({ kind }) => kind === 'reset')).toMatchObject([{ decision: 'reopen' }]);
});

test('who approves the last story of a paused run ends it', async () => {
  await runUntilHeld(held('implement', write('src/US-001.txt', 'made\n'), READY), ['US-001']);
  expect(await doing({ do: 'pause' })).toContain('pauses before its next iteration');
  await letGo();
  await until(async () => (await runRecord()).waiting?.why === 'pause');
  expect(await doing({ do: 'pause' })).toContain('is already paused');
  await decide('US-001', 'approve');
  const { code, stdout } = await ended();
  expect(code, stdout).toBe(0);
  expect(await work()).toEqual(['US-001 implement']);
});

test('a word to a run that is killed holds for its next life, once', async () => {
  await runUntilHeld(held('implement', write('src/US-001.txt', 'made\n'), READY), ['US-001', 'US-002']);
  await decide('US-001', 'approve');
  started?.child.kill('SIGKILL');
  await ended();
  expect(await decide('US-002', 'approve')).toContain('by the next run');
  start();
  const { code, stdout } = await ended();
  expect(code, stdout).toBe(0);
  expect(await work()).toEqual(['US-001 implement']);
  expect((await ledgerOf(project)).filter(({ kind }) => kind === 'reset')).toHaveLength(2);
});

test('--until is met by a person, too', async () => {
  await runUntilHeld(held('implement', READY), ['US-001', 'US-002'], '--until', 'US-002');
  await decide('US-002', 'approve');
  await letGo();
  const { code, stdout } = await ended();
  expect(code, stdout).toBe(0);
  expect(stdout).toContain('after the requested story');
  expect(await work()).toEqual(['US-001 implement']);
});

test('limits, notes and a stop reach the run in the words of the commands', async () => {
  await runUntilHeld(held('implement', write('src/US-001.txt', 'made\n'), READY), ['US-001', 'US-002']);
  const { run } = await runRecord();
  expect(await doing({ do: 'limits', limits: { maxIterations: 9 } })).toBe(
    `run ${run} has new limits: --max-iterations 9 (was 15)`,
  );
  expect(await doing({ do: 'note', text: 'hurry' })).toBe(`noted: the next prompt of run ${run} contains it, once`);
  expect(await doing({ do: 'stop', now: false })).toContain('stops after this iteration');
  await letGo();
  expect((await ended()).code).toBe(1);
  await expect(doing({ do: 'resume' })).rejects.toThrow('no run is active here');
});
