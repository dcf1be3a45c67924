import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { makeProject, type Project } from '../support/project.ts';

/** One sentence to a running story, in a repository that has never seen ralph; and back to it from another branch. */

let project: Project;
afterEach(() => project?.remove());

const DONE = { status: { STATUS: 'COMPLETE', EXIT_SIGNAL: true } };
const STEPS = [
  { when: { mode: 'implement' }, do: [{ write: { path: '{{STORY_ID}}.txt', content: 'made\n' } }, DONE] },
  { when: { mode: 'review' }, do: [{ status: { STATUS: 'COMPLETE', REVIEW: 'APPROVED', EXIT_SIGNAL: true } }] },
];

async function plainProject(): Promise<void> {
  const files = { 'package.json': '{ "scripts": { "test": "sh test.sh" } }\n', 'test.sh': 'true\n' };
  project = await makeProject({ steps: STEPS, files, backlog: { path: 'notes.txt', text: 'notes\n' } });
  await project.git('rm', '-q', 'ralph/prd.md');
  await project.git('commit', '-q', '-m', 'a project without ralph');
}

const task = (...args: readonly string[]) => project.ralph([...args, '--scenario', project.scenario]);
const branches = () => project.git('branch', '--format=%(refname:short)');
const untouched = async () => {
  expect(await branches()).toBe('main');
  expect(await project.git('status', '--porcelain', '--ignored')).toBe('');
};

test('one command makes the story, its branch and its checks, and runs it', { tags: ['promise'] }, async () => {
  await plainProject();
  const dry = await task('Add a --json flag', '--dry-run');
  expect(dry.stdout).toMatch(
    /branch +ralph\/add-json-flag\n[\s\S]*checks +npm test\n[\s\S]*first +implement US-001 Add a/,
  );
  await untouched();

  const { code, stdout } = await task('Add a --json flag');
  expect(code, stdout).toBe(0);
  expect(stdout).toMatch(
    /^story {5}US-001 Add a --json flag\nbacklog {3}ralph\/tasks.json \(new\)\nbranch {4}ralph\/add/,
  );
  expect(await project.git('branch', '--show-current')).toBe('ralph/add-json-flag');
  expect(await project.git('status', '--porcelain')).toBe('');
  expect(await project.read('ralph/prd.md')).toBe('# Add a --json flag\n\nAdd a --json flag\n');
  const [story] = await project.stories();
  expect(story).toMatchObject({ title: 'Add a --json flag', acceptanceCriteria: ['Add a --json flag'], passes: true });

  // The next one, on the same branch, is a story more; back on main it is something new.
  expect((await task('Now sort it')).code).toBe(0);
  expect(await project.stories()).toHaveLength(2);
  await project.git('switch', '-q', 'main');
  expect((await task('Add a --json flag', '--dry-run')).stdout).toMatch(/branch +ralph\/add-json-flag-2\n/);
});

describe('a start that is refused leaves nothing behind', () => {
  test('no agent, a change in the way, flags that contradict', async () => {
    await plainProject();
    expect((await project.ralph(['Add a flag', '--agent', 'claude'], { PATH: '/usr/bin:/bin' })).code).toBe(7);
    expect((await task('Add a flag', '--story', 'US-001')).code).toBe(2);
    await untouched();
    await project.write('notes.txt', 'changed\n');
    const { code, stderr } = await task('Add a flag');
    expect(code).toBe(2);
    expect(stderr).toContain('the same command with --worktree');
    expect(await project.git('status', '--porcelain', '--ignored')).toBe(' M notes.txt');
    expect(await readdir(project.root)).not.toContain('ralph');
  });

  test('words without quotes are told so; a misspelled command is not a task', async () => {
    await plainProject();
    expect((await task('Add', 'a', 'flag')).stderr).toContain("a task goes in quotes: ralph 'Add a flag'");
    expect((await task('statsu')).stderr).toMatch(/unknown command 'statsu'. Did you mean status\?/);
    expect((await task('run', 'US-001')).stderr).toContain('ralph run --story US-001');
    await untouched();
  });
});

test('beside other stories only the one of the sentence is worked on', async () => {
  project = await makeProject({ steps: STEPS, stories: [{ id: 'US-001' }] });
  const { code, stdout } = await task('Say it in other words', '--skip-review');
  expect(code, stdout).toBe(0);
  expect(stdout).toContain('1 other open story is left for `ralph run`');
  expect((await project.stories()).map(({ id, passes }) => [id, passes])).toEqual([
    ['US-001', false],
    ['US-002', true],
  ]);
});

test('stories on another branch are never lost: every command says where, and a worktree goes on', async () => {
  await plainProject();
  expect((await task('Add a flag', '--once')).code).toBe(1);
  await project.git('switch', '-q', 'main');
  for (const command of ['status', 'run', 'stories', 'validate']) {
    const { code, stderr } = await project.ralph([command]);
    expect(code).toBe(2);
    expect(stderr).toMatch(/^Error: your stories are on ralph\/add-flag \(0 of 1 done\)\n/);
    expect(stderr).toContain('git switch ralph/add-flag && ralph run');
  }
  const { code, stdout } = await project.ralph([]);
  expect(code).toBe(0);
  expect(stdout).toContain('ralph run --worktree');
  expect((await task('Add a flag')).stderr).toContain('this task is already on ralph/add-flag');

  expect((await task('run', '--worktree')).code).toBe(0);
  expect(await project.git('branch', '--show-current')).toBe('main');
  expect(await project.git('show', 'ralph/add-flag:US-001.txt')).toBe('made');
  const [, finish = ''] = /your branch: {2}ralph (.+)/.exec((await project.ralph(['status'])).stderr) ?? [];
  expect((await project.ralph(finish.split(' '))).stdout).toContain('merged ralph/add-flag into main');
  expect((await project.ralph(['status'])).stderr).toContain('there are no stories here yet');
});

test('a worktree is where a task begins beside changes; the checkout stays as it is', async () => {
  await plainProject();
  await project.write('notes.txt', 'changed\n');
  const { code, stdout } = await task('Add a flag', '--worktree');
  expect(code, stdout).toBe(0);
  expect(await project.git('status', '--porcelain')).toBe(' M notes.txt');
  expect(await readdir(join(project.root, '.ralph/worktrees/add-flag'))).toContain('US-001.txt');
});
