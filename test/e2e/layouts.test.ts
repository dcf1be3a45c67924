import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { easySteps, makeProject, type Project } from '../support/project.ts';

/** A whole story in every place where a backlog may live. */

let project: Project;
afterEach(() => project?.remove());

const subjects = async (range: string) =>
  (await project.git('log', '--reverse', '--format=%s', range))
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('chore(ralph)'));

/** Moves the spec folder of a fresh project and tells the scripted agent where it is. */
async function moveTo(folder: string, progress: string): Promise<void> {
  await project.git('mv', 'ralph', folder);
  await project.git('commit', '-q', '-m', 'move');
  const scenario = {
    version: 1,
    backlog: `${folder}/tasks.json`,
    progress: `${folder}/${progress}`,
    steps: easySteps('US-001'),
  };
  await writeFile(project.scenario, stringify(scenario));
}

test('a numbered spec folder is worked in and committed, while its state next door is ignored', async () => {
  project = await makeProject({ stories: [{ id: 'US-001' }] });
  await project.write('.ralph/.gitignore', '*\n!.gitignore\n!config.json\n!PRD-*/\n!PRD-*/**\n');
  await moveTo('.ralph/PRD-2', 'progress.md');
  const { code, stdout, stderr } = await project.run(['--prd', '2']);
  expect({ code, stderr }, stdout).toEqual({ code: 0, stderr: '' });
  expect(await subjects('main..HEAD')).toEqual(['feat(US-001): story US-001', 'review(US-001): approved']);
  expect((await project.git('ls-files', '.ralph')).split('\n')).toEqual([
    '.ralph/.gitignore',
    '.ralph/PRD-2/prd.md',
    '.ralph/PRD-2/progress.md',
    '.ralph/PRD-2/reviews.json',
    '.ralph/PRD-2/tasks.json',
  ]);
  expect(await project.git('status', '--porcelain')).toBe('');
});

test('a spec folder in a package of a larger repository is found from that package', async () => {
  project = await makeProject({ stories: [{ id: 'US-001' }] });
  await project.write('packages/shop/index.js', '');
  await project.git('add', '-A');
  await moveTo('packages/shop/ralph', 'progress.txt');
  const { code, stdout } = await project.run(['--project-dir', 'packages/shop']);
  expect(code, stdout).toBe(0);
  expect(await project.git('show', '--name-only', '--format=', 'HEAD')).toContain('packages/shop/ralph/tasks.json');
});

test('a linked work tree has its own lock, journal and run; the main one is left alone', async () => {
  project = await makeProject({ stories: [{ id: 'US-001' }], steps: easySteps('US-001') });
  await project.git('worktree', 'add', '-q', '-b', 'ralph/test', '../outside/linked');
  const { code, stdout } = await project.ralph([
    'run',
    '--scenario',
    project.scenario,
    '-d',
    join(project.outside, 'linked'),
  ]);
  expect(code, stdout).toBe(0);
  expect(await subjects('main..ralph/test')).toEqual(['feat(US-001): story US-001', 'review(US-001): approved']);
  expect(await project.git('status', '--porcelain')).toBe('');
  expect(await project.git('rev-parse', '--abbrev-ref', 'HEAD')).toBe('main');
  expect(await project.git('rev-parse', '--git-path', 'ralph')).toBe('.git/ralph');
  await expect(project.read('.git/ralph/run.json')).rejects.toThrow();
});

test('a prd.json without review fields is worked through in place; its review state lives beside it', async () => {
  const text = '[\r\n  { "id": 7, "category": "ui", "title": "Button", "steps": ["click"], "passes": false }\r\n]\r\n';
  project = await makeProject({ backlog: { path: 'ralph/prd.json', text }, steps: easySteps('7') });
  const { code, stdout, stderr } = await project.run();
  expect({ code, stderr }, stdout).toEqual({ code: 0, stderr: '' });
  expect(await project.read('ralph/prd.json')).toBe(text.replace('false', 'true'));
  expect(JSON.parse(await project.read('ralph/reviews.json')).stories['7']).toMatchObject({
    reviewStatus: 'approved',
    reviewCount: 1,
  });
});

test('`--rollback never` keeps red work as a wip commit that the next iteration builds on', async () => {
  project = await makeProject({
    files: { 'check.sh': 'test ! -e broken.txt\n' },
    verifyCommands: ['sh check.sh'],
    stories: [{ id: 'US-001' }],
    steps: [
      {
        when: { mode: 'implement', attempt: 1 },
        do: [{ write: { path: 'broken.txt', content: 'x' } }, { status: { STATUS: 'COMPLETE', EXIT_SIGNAL: true } }],
      },
      {
        when: { mode: 'implement' },
        do: [
          { run: { command: 'test -e broken.txt', expect: 'ok' } },
          { delete: 'broken.txt' },
          { write: { path: 'good.txt', content: 'y' } },
          { status: { STATUS: 'COMPLETE', EXIT_SIGNAL: true } },
        ],
      },
      { do: [{ status: { STATUS: 'COMPLETE', REVIEW: 'APPROVED', EXIT_SIGNAL: true } }] },
    ],
  });
  const { code, stdout } = await project.run(['--rollback', 'never']);
  expect(code, stdout).toBe(0);
  expect(await subjects('main..HEAD')).toEqual([
    'wip(US-001): story US-001',
    'feat(US-001): story US-001',
    'review(US-001): approved',
  ]);
});
