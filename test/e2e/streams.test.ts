// @module-tag long
import { spawn } from 'node:child_process';
import { readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { makeProject, type Project } from '../support/project.ts';
import { freshStories, tasksText } from '../support/tasks.ts';
import { until } from '../support/until.ts';

/** Streams on one machine: several backlogs at once, each in a worktree of its own. */

let project: Project;
afterEach(() => project?.remove());

const DONE = { status: { STATUS: 'COMPLETE', EXIT_SIGNAL: true } };
const WORK = { run: 'echo "{{STORY_ID}} {{ITERATION}}" >> work.txt' };
const SETTLED = ['--skip-review', '--scenario'] as const;

/** A project with backlogs in .ralph/PRD-1 … each with so many stories. */
async function withStreams(count: number, stories: number, steps: readonly object[] = [{ do: [WORK, DONE] }]) {
  const backlogs = Array.from({ length: count }, (_, i) => [
    [`.ralph/PRD-${i + 1}/tasks.json`, backlogOf(`ralph/prd-${i + 1}`, stories)],
    [`.ralph/PRD-${i + 1}/prd.md`, '# What is wanted\n'],
  ]).flat();
  project = await makeProject({
    steps: steps as never,
    files: {
      '.ralph/.gitignore': '*\n!.gitignore\n!config.json\n!PRD-*/\n!PRD-*/**\n',
      ...Object.fromEntries(backlogs),
    },
    backlog: { path: 'notes.txt', text: 'no backlog\n' },
  });
  await rm(join(project.root, 'ralph'), { recursive: true });
  await project.git('commit', '-q', '-a', '-m', 'no loop here');
  return project;
}

const backlogOf = (branchName: string, stories: number) => tasksText({ branchName, stories: freshStories(stories) });

const start = (...args: readonly string[]) => project.ralph(['stream', 'start', ...args, ...SETTLED, project.scenario]);

const numbers = (count: number) => Array.from({ length: count }, (_, i) => i + 1);

/** Subjects of a branch that stories made, oldest first. */
async function storiesOn(branch: string): Promise<readonly string[]> {
  const log = await project.git('log', '--reverse', '--format=%s', branch);
  return log.split('\n').filter((subject) => subject.startsWith('feat('));
}

const storiesOf = (count: number) => numbers(count).map((n) => `feat(US-00${n}): story ${n}`);

interface StreamEvent {
  readonly stream: string;
  readonly type: string;
  readonly ts: number | string;
  readonly iteration: number;
}

const eventsIn = (stdout: string): readonly StreamEvent[] =>
  stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

describe('streams', () => {
  test('each end complete on a branch of its own, and the checkout stays as it was', {
    tags: ['promise'],
  }, async () => {
    await withStreams(3, 2);
    await project.write('uncommitted.txt', 'mine\n');
    const before = await listing(project.root);
    const ended = await start('--parallel', '2');
    expect(ended.stderr).toBe('');
    expect(ended.code).toBe(0);
    expect(ended.stdout).toMatch(/PRD-2 +│ /);
    expect(ended.stdout).toContain('ralph stream merge 3');
    for (const n of numbers(3)) expect(await storiesOn(`ralph/prd-${n}`)).toEqual(storiesOf(2));
    expect(await listing(project.root)).toEqual(before);
    expect(await project.git('branch', '--show-current')).toBe('main');
    expect(await project.git('status', '--porcelain')).toBe('?? uncommitted.txt');
    const again = await start();
    expect(again.code).toBe(2);
    expect(again.stderr).toContain('every backlog is finished');
  });

  test('that cannot be worked on are told, and hinder no other', async () => {
    await withStreams(3, 1);
    await project.write('.ralph/PRD-2/tasks.json', '{ "userStories": 7 }\n');
    const ended = await start();
    expect(ended.code).toBe(2);
    expect(ended.stdout).toMatch(/PRD-2.*cannot be used/);
    expect(await storiesOn('ralph/prd-1')).toEqual(storiesOf(1));
    expect(await storiesOn('ralph/prd-3')).toEqual(storiesOf(1));
    expect(await project.git('branch', '--list', 'ralph/prd-2')).toBe('');
  });

  test('on the same branch are refused, each by itself', async () => {
    await withStreams(3, 1);
    await project.write('.ralph/PRD-2/tasks.json', backlogOf('ralph/prd-1', 1));
    await project.write('.ralph/PRD-9/tasks.json', backlogOf('-x', 1));
    const ended = await start();
    expect(ended.code).toBe(2);
    expect(ended.stdout).toMatch(/PRD-1.*PRD-1 and PRD-2 work on the same branch/);
    expect(ended.stdout).toMatch(/PRD-9.*'-x' cannot be the branch of a stream/);
    expect(await storiesOn('ralph/prd-3')).toEqual(storiesOf(1));
  });

  test('work in their own work tree only, whatever an agent does to it', async () => {
    const away = 'case $PWD in */PRD-1) rm .git; git worktree prune; git checkout -q -b agent 2>/dev/null; true;; esac';
    await withStreams(2, 2, [{ do: [{ run: away }, WORK, DONE] }]);
    const before = [await project.git('rev-parse', 'main'), await project.git('status', '--porcelain')];
    await start('--parallel', '1', '--no-sandbox');
    await project.git('switch', '-q', 'main');
    expect([await project.git('rev-parse', 'main'), await project.git('status', '--porcelain')]).toEqual(before);
    expect(await storiesOn('ralph/prd-2')).toEqual(storiesOf(2));
  });

  test('that another start lets take turns are left to it, and not removed', async () => {
    await withStreams(2, 2, [{ do: [WORK, { sleep: '1500ms' }, DONE] }]);
    const { ended } = project.start(['stream', 'start', '1', '2', '--parallel', '1', ...SETTLED, project.scenario]);
    const standing = async () => JSON.parse((await project.ralph(['stream', 'status', '--json'])).stdout)[0];
    await until(async () => (await standing())?.state === 'between');
    expect(await standing()).toMatchObject({ supervised: true });
    const removed = await project.ralph(['stream', 'remove', '1', '--force']);
    expect(removed.code).toBe(4);
    expect(removed.stderr).toContain('PRD-1');
    expect((await start('1')).code).toBe(4);
    expect((await ended).code).toBe(0);
  });

  test('are prepared by the settings of where they are started', async () => {
    await withStreams(1, 1);
    await project.write('ralph.config.json', JSON.stringify({ worktree: { setup: ['exit 3'] } }));
    await project.git('add', '-A');
    await project.git('commit', '-q', '-m', 'settings');
    const failed = await start('1');
    expect(failed.code).toBe(2);
    expect(failed.stdout).toContain(`${project.root}/ralph.config.json`);
    await project.write('ralph.config.json', JSON.stringify({ worktree: { setup: ['true'] } }));
    expect((await start('1')).code).toBe(0);
  });

  test('share the rate limit of the project', async () => {
    await withStreams(2, 2);
    const { child, ended } = project.start(['stream', 'start', '--calls', '3', '--json', ...SETTLED, project.scenario]);
    let stdout = '';
    child.stdout?.on('data', (chunk: string) => {
      stdout += chunk;
    });
    const starts = () => stdout.split('\n').filter((line) => line.includes('"type":"agent-start"')).length;
    await until(async () => starts() === 3);
    await new Promise((resolve) => setTimeout(resolve, 1500));
    expect(starts()).toBe(3);
    child.kill('SIGINT');
    expect((await ended).code).toBe(130);
  });

  test('share a budget: what one spent is not there for the others', async () => {
    await withStreams(2, 3, [{ do: [WORK, { usage: { cost: 0.75 } }, DONE] }]);
    const ended = await start('--max-cost', '2', '--parallel', '1');
    expect(ended.code).toBe(5);
    const done = [...(await storiesOn('ralph/prd-1')), ...(await storiesOn('ralph/prd-2'))];
    expect(done).toHaveLength(2);
  });

  test('are brought their uncommitted backlog, and what the settings copy and set up', async () => {
    await withStreams(1, 1);
    await project.write('.ralph/PRD-9/tasks.json', backlogOf('ralph/prd-9', 1));
    await project.write('secret.env', 'KEY=1\n');
    const setup = ['echo one >>"$HOME/setups.txt"'];
    await project.write('ralph.config.json', JSON.stringify({ worktree: { copy: ['secret.env'], setup } }));
    expect((await start('9')).code).toBe(0);
    const tree = join(project.root, '.ralph/worktrees/PRD-9');
    expect(await readFile(join(tree, 'secret.env'), 'utf8')).toBe('KEY=1\n');
    expect(await storiesOn('ralph/prd-9')).toEqual(storiesOf(1));
    await project.ralph(['stream', 'start', '9']);
    expect(await readFile(join(project.outside, 'setups.txt'), 'utf8')).toBe('one\n');
  });

  test('are picked up where a killed supervisor left them', async () => {
    await withStreams(3, 3, [{ do: [WORK, { sleep: '100ms' }, DONE] }]);
    for (const ms of [900, 1500, 2100]) {
      const { child, ended } = project.start(['stream', 'start', ...SETTLED, project.scenario]);
      await new Promise((resolve) => setTimeout(resolve, ms));
      child.kill('SIGKILL');
      await ended;
    }
    const last = await start();
    expect([0, 2]).toContain(last.code);
    for (const n of numbers(3)) expect(await storiesOn(`ralph/prd-${n}`)).toEqual(storiesOf(3));
  });

  test('of two supervisors go on beside each other', async () => {
    await withStreams(4, 2);
    const [one, other] = await Promise.all([start('1', '2'), start('3', '4')]);
    expect([one.code, other.code]).toEqual([0, 0]);
    for (const n of numbers(4)) expect(await storiesOn(`ralph/prd-${n}`)).toEqual(storiesOf(2));
  });

  test('are listed, stopped between turns, shown and removed', async () => {
    await withStreams(2, 3);
    await project.ralph(['stream', 'start', '1', '-n', '1', ...SETTLED, project.scenario]);
    const { child, ended } = project.start(['stream', 'start', '2', '--calls', '2', ...SETTLED, project.scenario]);
    const standing = async () => JSON.parse((await project.ralph(['stream', 'status', '--json'])).stdout)[1];
    await until(async () => (await standing())?.state === 'between');
    child.kill('SIGKILL');
    await ended;
    expect(await standing()).toMatchObject({ stream: 'PRD-2', state: 'between', stories: { done: 1, total: 3 } });
    const stopped = await project.ralph(['stream', 'stop', '2', '--json']);
    expect(JSON.parse(stopped.stdout)).toEqual([{ stream: 'PRD-2', stopped: 'ended' }]);
    expect(await standing()).toMatchObject({ state: 'ended', ended: 'stopped' });
    expect((await project.ralph(['stream', 'logs', '2'])).stdout).toContain('US-001');
    const refused = await project.ralph(['stream', 'remove', '2']);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain('not merged');
    const removed = await project.ralph(['stream', 'remove', '2', '--force']);
    expect(removed.code).toBe(0);
    expect(removed.stdout).toContain('the branch ralph/prd-2 stays');
    expect(await stat(join(project.root, '.ralph/worktrees/PRD-2')).catch(() => null)).toBeNull();
    expect(await project.git('for-each-ref', 'refs/ralph/rescue/')).not.toBe('');
    expect(await storiesOn('ralph/prd-2')).toEqual(storiesOf(1));
  });
});

test('twenty streams take turns fairly, in little memory', async () => {
  await withStreams(20, 2);
  const { child, ended } = startJson('--parallel', '2');
  const memory: number[] = [];
  const sampling = setInterval(async () => memory.push(await residentKb(child.pid ?? 0)), 1000);
  const { code, stdout } = await ended;
  clearInterval(sampling);
  expect(code).toBe(0);
  const begun = eventsIn(stdout).filter(({ type }) => type === 'select');
  expect(begun).toHaveLength(40);
  const turns = new Map(numbers(20).map((n) => [`PRD-${n}`, 0]));
  for (const { stream } of begun) {
    const n = (turns.get(stream) ?? 0) + 1;
    turns.set(stream, n);
    // Two at a time: those that are under way may be one turn ahead of the slowest.
    expect(n - Math.min(...turns.values())).toBeLessThanOrEqual(2);
  }
  expect(Math.max(...memory) / 1024).toBeLessThan(400);
});

const startJson = (...args: readonly string[]) =>
  project.start([
    'stream',
    'start',
    '--json',
    '--no-sandbox',
    '--calls',
    '1000',
    ...args,
    ...SETTLED,
    project.scenario,
  ]);

/** Files of the checkout with their contents; not what git and the loop keep. */
async function listing(root: string): Promise<readonly string[]> {
  const all = await readdir(root, { recursive: true, withFileTypes: true });
  const files = all.filter((one) => one.isFile()).map((one) => join(one.parentPath, one.name).slice(root.length + 1));
  const own = files.filter((path) => !path.startsWith('.git/') && !path.startsWith('.ralph/worktrees/'));
  return Promise.all(own.sort().map(async (path) => `${path}\n${await readFile(join(root, path), 'utf8')}`));
}

/** Memory that a process has now. */
async function residentKb(pid: number): Promise<number> {
  const child = spawn('ps', ['-o', 'rss=', '-p', String(pid)], { stdio: ['ignore', 'pipe', 'ignore'] });
  let said = '';
  for await (const chunk of child.stdout) said += String(chunk);
  return Number(said) || 0;
}
