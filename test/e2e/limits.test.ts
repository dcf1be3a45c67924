import { afterEach, describe, expect, test } from 'vitest';
import { easySteps, makeProject, type Project } from '../support/project.ts';
import { eventsOf, ledgerOf } from '../support/records.ts';
import { until } from '../support/until.ts';

/** What the provider refuses: waited for, gone round or ended by, and never held against story or breaker. */

let project: Project;
afterEach(() => project?.remove());

const STORIES = [{ id: 'US-001' }];
const REFUSED = (seconds: number) => ({
  when: { iteration: 1 },
  do: [{ limit: { kind: 'five_hour', in: `${seconds}s` } }],
});

type Timed = { readonly type: string; readonly ts: string; readonly [field: string]: unknown };
const events = async () => (await eventsOf(project)) as readonly Timed[];
const named = (all: readonly Timed[], type: string) => all.filter((event) => event.type === type);

async function expectUncharged(): Promise<void> {
  const [limited, ...others] = await ledgerOf(project);
  expect(limited).toMatchObject({ verdict: 'limited', counts: 'ignored', stateChanged: false });
  expect(others.map(({ verdict }) => verdict)).toEqual(['accepted', 'accepted']);
  const attempts = named(await events(), 'select').map(({ attempt }) => attempt);
  expect(attempts).toEqual([1, 1, 1]);
}

describe('a usage limit with a reset time', () => {
  test('is waited for until exactly then, with a countdown, and costs no attempt', { tags: ['promise'] }, async () => {
    project = await makeProject({ stories: STORIES, steps: [REFUSED(16), ...easySteps('US-001')] });
    const { code, stdout } = await project.run(['--max-iterations', '2']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/limit/);
    const [wait] = named(await events(), 'wait');
    expect(wait).toMatchObject({ why: 'limit' });
    const [, second] = named(await events(), 'agent-start');
    const late = Date.parse(second?.ts ?? '') - (wait?.['until'] as number);
    expect(late).toBeGreaterThanOrEqual(0);
    // Plain output has no live line, so that the countdown comes as lines.
    expect(stdout).toMatch(/waits +\d\ds, until \d\d:\d\d:\d\d/);
    expect(stdout).toMatch(/00:00:1\d until \d\d:\d\d:\d\d/);
    await expectUncharged();
  });

  test('is still waited for after kill -9 in the middle of the wait', async () => {
    project = await makeProject({ stories: STORIES, steps: [REFUSED(8), ...easySteps('US-001')] });
    const killed = await project.run([], { RALPH_CRASHPOINT: 'waiting' });
    expect(killed.signal).toBe('SIGKILL');
    const waiting = JSON.parse(await project.read('.git/ralph/run.json')).waiting;
    expect(waiting).toMatchObject({ why: 'limit' });
    expect((await project.run()).code).toBe(0);
    const second = named(await events(), 'agent-start').find(({ iteration }) => iteration === 2);
    const late = Date.parse(second?.ts ?? '') - waiting.until;
    expect(late).toBeGreaterThanOrEqual(0);
    await expectUncharged();
  });

  test('sends the work to the next agent of the list at once', { tags: ['promise'] }, async () => {
    const script = [
      'id=$RALPH_STORY_ID',
      'if [ "$RALPH_MODE" = review ]; then echo "---RALPH_STATUS---"; echo "STATUS: COMPLETE"; echo "REVIEW: APPROVED"; echo "---END_RALPH_STATUS---"; exit; fi',
      'echo made > made.txt',
      'echo "---RALPH_STATUS---"; echo "STATUS: COMPLETE"; echo "EXIT_SIGNAL: true"; echo "---END_RALPH_STATUS---"',
    ].join('\n');
    project = await makeProject({
      stories: STORIES,
      files: { 'ralph.config.json': JSON.stringify({ command: { run: 'sh ../outside/other.sh' } }) },
      steps: [{ do: [{ limit: { kind: 'five_hour', in: '1h' } }] }],
    });
    await project.write('../outside/other.sh', script);
    const { code } = await project.run(['--agent', 'scripted,command']);
    expect(code).toBe(0);
    expect(named(await events(), 'wait')).toEqual([]);
    expect(named(await events(), 'agent-switch')).toMatchObject([{ from: 'scripted', to: 'command' }]);
    const agents = (await ledgerOf(project)).map((line) => (line as unknown as { agent: string }).agent);
    expect(agents).toEqual(['scripted', 'command', 'command']);
  });

  test('ends the run with exit 5 when that is what the person wants', async () => {
    project = await makeProject({ stories: STORIES, steps: [REFUSED(3600), ...easySteps('US-001')] });
    const { code, stdout } = await project.run(['--on-usage-limit', 'stop']);
    expect(code).toBe(5);
    expect(stdout).toContain("the provider's usage limit is reached");
  });
});

test('an agent that prints that it hit its limit, or writes about limits, has hit none', async () => {
  const words = "You've hit your usage limit · resets 3am. Error 429: rate_limit_exceeded, overloaded_error.";
  project = await makeProject({
    stories: STORIES,
    steps: [
      {
        when: { mode: 'implement' },
        do: [
          { say: words },
          { write: { path: 'docs/rate-limits.md', content: `${words}\n` } },
          { run: `echo "${words}"` },
          { status: { STATUS: 'COMPLETE', EXIT_SIGNAL: true } },
        ],
      },
      ...easySteps('US-001'),
    ],
  });
  expect((await project.run()).code).toBe(0);
  expect(named(await events(), 'wait')).toEqual([]);
  expect((await ledgerOf(project)).map(({ verdict }) => verdict)).toEqual(['accepted', 'accepted']);
});

test('an agent that may not work is out for this run: without another one it ends with exit 7', async () => {
  project = await makeProject({
    stories: STORIES,
    steps: [{ do: [{ fail: { kind: 'auth', message: 'the key was refused' } }] }],
  });
  const { code, stdout } = await project.run();
  expect(code).toBe(7);
  expect(stdout).toContain('the key was refused');
  expect(await ledgerOf(project)).toMatchObject([{ verdict: 'limited', counts: 'ignored' }]);
});

test('the rate limit waits, over runs, and goes on once a person raises it', async () => {
  project = await makeProject({ stories: STORIES, steps: easySteps('US-001') });
  expect((await project.run(['--once'])).code).toBe(1);
  const { ended } = project.start(['run', '--scenario', project.scenario, '--calls', '1']);
  await until(async () => named(await events(), 'wait').some(({ why }) => why === 'rate'));
  expect((await project.ralph(['steer', '--calls', '5'])).code).toBe(0);
  expect((await ended).code).toBe(0);
});
