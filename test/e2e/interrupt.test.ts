import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { livingOf, markedProcesses } from '../support/processes.ts';
import { type Ended, makeProject, type Project } from '../support/project.ts';
import { commitsOf, ledgerOf } from '../support/records.ts';
import { READY, write } from '../support/says.ts';

/** Signals in the middle of an iteration whose agent has written files, committed, and left children running. */

let project: Project;
let started: ReturnType<Project['start']> | undefined;
afterEach(async () => {
  started?.child.kill('SIGKILL');
  await started?.ended;
  await project?.remove();
});

/** Children that write their own pids outside the repository: one in the background, one in a session of its own. */
const child = (name: string): string => `echo $$ > "$HOME/${name}.pid"; exec sleep 300`;
const PIDS_WRITTEN = '[ -s "$HOME/background.pid" ] && [ -s "$HOME/detached.pid" ]';

async function busyProject(last: readonly object[] = [{ hang: true }]): Promise<void> {
  project = await makeProject({
    files: { 'kept.txt': 'kept\n' },
    stories: [{ id: 'US-001' }],
    verifyCommands: ['test ! -e broken.txt'],
    steps: [
      {
        when: { mode: 'implement', iteration: 1 },
        do: [
          write('kept.txt', 'changed\n'),
          { commit: 'half of it' },
          write('half.txt', 'half\n'),
          { background: { run: child('background') } },
          { background: { run: child('detached'), detached: true } },
          // A file exists before it holds the pid.
          { run: `until ${PIDS_WRITTEN}; do sleep 0.05; done; touch "$HOME/ready"` },
          ...last,
        ],
      },
      {
        when: { mode: 'implement' },
        do: [{ 'expect-prompt': 'refs/ralph/rescue/' }, write('whole.txt', 'whole\n'), READY],
      },
      { when: { mode: 'review' }, do: [{ status: { STATUS: 'COMPLETE', REVIEW: 'APPROVED' } }] },
    ],
  });
}

/** Starts a run and waits until the agent is in the middle of its work; gives the pids of the children it left. */
async function untilBusy(): Promise<readonly number[]> {
  started = project.start(['run', '--scenario', project.scenario]);
  while (!existsSync(`${project.outside}/ready`)) await wait(20);
  const files = ['background', 'detached'].map((name) => `${project.outside}/${name}.pid`);
  const pids = await Promise.all(files.map(async (file) => Number(await readFile(file, 'utf8'))));
  expect(await livingOf(pids)).toEqual(pids);
  return pids;
}

async function signalled(signal: NodeJS.Signals): Promise<Ended> {
  started?.child.kill(signal);
  const ended = await started?.ended;
  if (!ended) throw new Error('no run was started');
  return ended;
}

async function lockIsFree(): Promise<void> {
  const { code, stderr } = await project.ralph(['stories', 'add', 'another', '-c', 'it works']);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
}

test('SIGINT in the middle of a check is an interruption, never a red check', async () => {
  project = await makeProject({
    stories: [{ id: 'US-001' }],
    verifyCommands: ['test ! -e half.txt || { touch "$HOME/ready"; exec sleep 300; }'],
    steps: [{ do: [write('half.txt', 'half\n'), READY] }],
  });
  started = project.start(['run', '--scenario', project.scenario], { RALPH_CHECKS_WHERE: 'tree' });
  while (!existsSync(`${project.outside}/ready`)) await wait(20);
  const { code, stdout } = await signalled('SIGINT');
  expect(code, stdout).toBe(130);
  expect(stdout).toMatch(/verdict +interrupted/);
  expect(stdout).not.toContain('✗');
  expect(await ledgerOf(project)).toMatchObject([{ verdict: 'interrupted', counts: 'ignored', checks: [] }]);
});

test('a second SIGINT says what is left and how to continue', async () => {
  await busyProject([{ 'ignore-term': true }, { run: 'touch "$HOME/deaf"' }, { hang: true }]);
  await untilBusy();
  while (!existsSync(`${project.outside}/deaf`)) await wait(20);
  started?.child.kill('SIGINT');
  await wait(500);
  const { code, stderr } = await signalled('SIGINT');
  expect(code).toBe(130);
  expect(stderr).toContain('iteration 1 (US-001) is unfinished');
  expect(stderr).toContain('`ralph run` cleans up');
});

describe.each([
  ['SIGINT', 130, 'interrupted'],
  ['SIGTERM', 143, 'terminated'],
] as const)('%s in the middle of an iteration', (signal, exitCode, reason) => {
  test(`ends the run with ${exitCode}, rolled back, the work kept, no process left`, async () => {
    await busyProject();
    const pids = await untilBusy();
    const ended = await signalled(signal);
    expect({ code: ended.code, stderr: ended.stderr }, ended.stdout).toEqual({ code: exitCode, stderr: '' });
    expect(ended.stdout).toContain(`ralph run: ${reason} (exit ${exitCode})`);

    const [line] = await ledgerOf(project);
    expect(line).toMatchObject({ verdict: 'interrupted', counts: 'ignored' });
    expect(await project.read('kept.txt')).toBe('kept\n');
    expect(existsSync(`${project.root}/half.txt`)).toBe(false);
    expect(await project.git('status', '--porcelain')).toBe('');
    expect(await commitsOf(project)).toEqual([]);
    expect(await project.git('show', `${line?.rescue}:half.txt`)).toBe('half');
    expect(await project.git('log', '-1', '--format=%s', `${line?.rescue}^`)).toBe('half of it');

    expect(await livingOf(pids)).toEqual([]);
    expect(await markedProcesses(line?.run ?? '')).toEqual([]);
    expect(existsSync(`${project.root}/.ralph-active`)).toBe(false);
    expect(JSON.parse(await project.read('.ralph/status.json'))).toMatchObject({
      state: 'ended',
      ended: { reason, exitCode },
    });
  });

  test('is in the next prompt, and the next run starts again and completes', async () => {
    await busyProject();
    await untilBusy();
    await signalled(signal);
    const [line] = await ledgerOf(project);
    const { stdout: plan } = await project.ralph(['run', '--dry-run']);
    expect(plan).toContain(`git show ${line?.rescue}`);
    expect(plan).toContain('half.txt');
    expect(plan).not.toContain('attempt 2');

    // The second run has a first iteration too: its step must be that of a later one.
    const steps = (await readFile(project.scenario, 'utf8')).replace('iteration: 1', 'iteration: 99');
    await writeFile(project.scenario, steps);
    const { code, stdout } = await project.run();
    expect(code, stdout).toBe(0);
    const lines = await ledgerOf(project);
    expect(new Set(lines.map(({ run }) => run)).size).toBe(2);
    expect(lines.map(({ iteration, verdict }) => [iteration, verdict])).toEqual([
      [1, 'interrupted'],
      [1, 'accepted'],
      [2, 'accepted'],
    ]);
    expect(await commitsOf(project)).toEqual(['feat(US-001): story US-001', 'review(US-001): approved']);
  });
});

describe('an interrupted run', () => {
  test('ends in time although the agent ignores the signal', async () => {
    await busyProject([{ 'ignore-term': true }, { run: 'touch "$HOME/deaf"' }, { hang: true }]);
    const pids = await untilBusy();
    while (!existsSync(`${project.outside}/deaf`)) await wait(20);
    const ended = await signalled('SIGINT');
    expect(ended.code).toBe(130);
    expect(await livingOf(pids)).toEqual([]);
    await lockIsFree();
  });

  test('leaves the lock free', async () => {
    await busyProject();
    await untilBusy();
    await signalled('SIGTERM');
    await lockIsFree();
  });

  test('ends at once on the second signal; the next start recovers what that left', async () => {
    await busyProject([{ 'ignore-term': true }, { run: 'touch "$HOME/deaf"' }, { hang: true }]);
    const pids = await untilBusy();
    while (!existsSync(`${project.outside}/deaf`)) await wait(20);
    started?.child.kill('SIGINT');
    await wait(300);
    const ended = await signalled('SIGINT');
    expect(ended.code).toBe(130);

    const { code, stdout } = await project.run();
    expect(code, stdout).toBe(0);
    expect(await project.read('kept.txt')).toBe('kept\n');
    expect(await commitsOf(project)).toEqual(['feat(US-001): story US-001', 'review(US-001): approved']);
    const [line] = await ledgerOf(project);
    expect(line).toMatchObject({ iteration: 1, verdict: 'interrupted' });
    expect(await project.git('show', `${line?.rescue}:half.txt`)).toBe('half');
    expect(await livingOf(pids)).toEqual([]);
    expect(await markedProcesses(line?.run ?? '')).toEqual([]);
  });

  test('by a signal during a check concludes nothing from it', async () => {
    project = await makeProject({
      stories: [{ id: 'US-001', verifyCommands: ['touch "$HOME/ready"; sleep 300'] }],
      steps: [{ do: [write('whole.txt', 'whole\n'), READY] }],
    });
    started = project.start(['run', '--scenario', project.scenario]);
    while (!existsSync(`${project.outside}/ready`)) await wait(20);
    const ended = await signalled('SIGINT');
    expect(ended.code, ended.stdout).toBe(130);
    const [line] = await ledgerOf(project);
    expect(line).toMatchObject({ verdict: 'interrupted', counts: 'ignored' });
    expect(await commitsOf(project)).toEqual([]);
    expect((await project.stories())[0]).toMatchObject({ reviewStatus: null, passes: false });
    expect(await markedProcesses(line?.run ?? '')).toEqual([]);
  });
});
