// @module-tag long
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { afterEach, expect, test } from 'vitest';
import { easySteps, makeProject, type Project } from '../support/project.ts';

/* A spec folder that .gitignore names is never committed: its state is kept in the git dir. */

let project: Project;
afterEach(() => project?.remove());

const STORIES = ['US-001', 'US-002'];

/** The spec folder was committed before the rule was there. */
async function ignoredLater(): Promise<void> {
  project = await makeProject({
    stories: STORIES.map((id) => ({ id })),
    steps: STORIES.flatMap((id) => easySteps(id)),
  });
  await project.write('.gitignore', '/ralph/\n');
  await project.git('add', '.gitignore');
  await project.git('commit', '-q', '-m', 'the plan stays here');
}

async function ended(args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await project.ralph(args);
  expect(code, stdout + stderr).toBe(0);
  return stdout + stderr;
}

const run = () => ended(['run', '--scenario', project.scenario]);
const kept = (path: string) => project.git('show', `refs/ralph/spec:${path}`);
const touched = (range: string) => project.git('log', '--format=', '--name-only', '--diff-filter=AM', range);

test('a rule that came later counts, the state lives in the git dir, and comes back when the folder is gone', async () => {
  await ignoredLater();
  const said = await run();
  expect(said).toContain('a copy is kept at refs/ralph/spec');
  expect(await touched('main..ralph/test')).not.toMatch(/^\.?ralph\/(?!\.gitignore)/m);
  expect(await project.git('ls-files', 'ralph')).toBe('');
  expect(await project.git('status', '--porcelain')).toBe('');
  expect(await kept('ralph/tasks.json')).toBe((await project.read('ralph/tasks.json')).trimEnd());
  expect(await kept('ralph/prd.md')).toContain('What is wanted');
  expect(await project.stories()).toMatchObject(STORIES.map(() => ({ passes: true })));
  await rm(`${project.root}/ralph`, { recursive: true });
  expect(await run()).toContain('restored from refs/ralph/spec: ralph/prd.md');
  expect(await project.stories()).toMatchObject(STORIES.map(() => ({ passes: true })));

  const before = await project.git('rev-parse', 'main');
  await ended(['finish']);
  expect((await project.git('log', '--format=%s', `${before}..main`)).split('\n')).toHaveLength(2);
  expect(await project.git('diff', '--name-only', before, 'main', '--', 'ralph', '.ralph')).toBe('');
});

test('a stream has its own state there, merges by it, and a new work tree goes on from it', async () => {
  await ignoredLater();
  await ended(['run', '--worktree', '--scenario', project.scenario]);
  expect(JSON.parse(await kept('ralph/tasks.json')).userStories).toMatchObject(STORIES.map(() => ({ passes: true })));
  expect(await project.stories()).toMatchObject(STORIES.map(() => ({ passes: false })));
  const before = await project.git('rev-parse', 'main');
  await ended(['stream', 'merge', 'repo']);
  expect((await project.git('log', '--format=%s', `${before}..main`)).split('\n')).toHaveLength(2);
  await ended(['stream', 'remove', 'repo']);
  expect(existsSync(`${project.root}/.ralph/worktrees/repo`)).toBe(false);
  await project.write('../outside/scenario.yaml', 'version: 1\nsteps: []\n');
  expect(await ended(['run', '--worktree', '--scenario', project.scenario])).toMatch(/complete/);
});

test('with stories at once it is in no commit either', async () => {
  await ignoredLater();
  await ended(['run', '--parallel', '2', '--scenario', project.scenario]);
  expect(await touched('main..ralph/test')).not.toMatch(/^\.?ralph\/(?!\.gitignore)/m);
  expect(JSON.parse(await kept('ralph/tasks.json')).userStories).toMatchObject(STORIES.map(() => ({ passes: true })));
});
