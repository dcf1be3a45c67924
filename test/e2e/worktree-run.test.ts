import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { makeProject, type Project } from '../support/project.ts';

let project: Project;
afterEach(() => project.remove());

const implemented = {
  when: { mode: 'implement' },
  do: [
    { write: { path: 'work-{{STORY_ID}}.txt', content: 'done\n' } },
    { story: { set: { reviewStatus: 'needs_review' } } },
    { status: { STATUS: 'COMPLETE', EXIT_SIGNAL: true } },
  ],
};
const approved = {
  when: { mode: 'review' },
  do: [{ story: { set: { reviewStatus: 'approved', passes: true }, increase: { reviewCount: 1 } } }],
};
const steps = [implemented, approved];
const stories = [{ id: 'US-001' }, { id: 'US-002' }];

/** The work tree of the workspace's stream. */
const tree = () => join(project.root, '.ralph/worktrees/repo');
const inTree = (...args: readonly string[]) => [
  'run',
  '--project-dir',
  tree(),
  '--scenario',
  project.scenario,
  ...args,
];

async function recordOfTree(): Promise<Record<string, unknown>> {
  return JSON.parse(await readFile(join(project.root, '.git/worktrees/repo/ralph/run.json'), 'utf8'));
}

test('ralph run --worktree leaves the checkout as it is, takes settings along that are not committed, and says how the work comes back', {
  tags: ['promise'],
}, async () => {
  project = await makeProject({ stories, steps });
  await project.write('ralph.config.json', JSON.stringify({ skipReview: true }));
  await project.write('README.md', '# being edited\n');
  const before = await project.git('status', '--porcelain=v1', '-b');
  const { code, stdout, stderr } = await project.run(['--worktree']);
  expect(stderr).toBe('');
  expect(code).toBe(0);
  expect(stdout).toContain(`The work is in ${tree()}, on branch ralph/test.`);
  expect(stdout).toContain('`ralph stream merge repo` merges it');
  expect(await project.git('status', '--porcelain=v1', '-b')).toBe(before);
  expect(await project.read('README.md')).toBe('# being edited\n');
  const done = await project.git('log', '--format=%s', 'main..ralph/test', '--', 'work-US-001.txt', 'work-US-002.txt');
  expect(done.split('\n')).toHaveLength(2);
  expect(existsSync(join(project.root, 'work-US-001.txt'))).toBe(false);
});

test('ralph run --worktree --dry-run only says where', async () => {
  project = await makeProject({ stories, steps });
  const { code, stdout } = await project.run(['--worktree', '--dry-run']);
  expect(code).toBe(0);
  expect(stdout).toContain(`Would make the work tree ${tree()}, on branch ralph/test`);
  expect(existsSync(join(project.root, '.ralph'))).toBe(false);
  expect(await project.git('worktree', 'list')).not.toContain('ralph/worktrees');
});

test('a turn that is killed is recovered by the next, and nothing is done twice', async () => {
  project = await makeProject({ stories, steps });
  const start = ['stream', 'start', 'repo', '--scenario', project.scenario, '--skip-review'];
  const killed = await project.ralph(start, { RALPH_CRASHPOINT: 'planned#2' });
  expect(killed.signal).toBe('SIGKILL');
  expect(await recordOfTree()).toMatchObject({ between: null, ended: null });
  const { run } = await recordOfTree();
  const again = await project.ralph(start);
  expect([again.code, again.stderr]).toEqual([0, '']);
  expect(await recordOfTree()).toMatchObject({ run, ended: { reason: 'complete' } });
  const done = await project.git(
    'log',
    '--format=%(trailers:key=Ralph-Story,valueonly,separator=)',
    'main..ralph/test',
  );
  expect(done.split('\n').filter(Boolean)).toEqual(['US-002', 'US-001']);
});

test('a run that was left between two turns continues to its end with an ordinary run in its work tree', async () => {
  project = await makeProject({ stories: [...stories, { id: 'US-003' }], steps });
  const start = ['stream', 'start', 'repo', '--scenario', project.scenario, '--skip-review'];
  const killed = await project.ralph(start, { RALPH_CRASHPOINT: 'turn-ended' });
  expect(killed.signal).toBe('SIGKILL');
  const { run, between } = await recordOfTree();
  expect(between).toEqual(expect.any(Number));
  const { code, stderr } = await project.ralph(inTree('--skip-review'));
  expect([code, stderr]).toEqual([0, '']);
  expect(await recordOfTree()).toMatchObject({ run, ended: { reason: 'complete' } });
  const events = await readFile(join(tree(), '.ralph/runs', String(run), 'events.jsonl'), 'utf8');
  const types = events
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line).type as string);
  expect(types.filter((type) => type === 'run-start')).toHaveLength(2);
  expect(types.filter((type) => type === 'turn-end')).toHaveLength(1);
  expect(types.filter((type) => type === 'recovered')).toEqual([]);
});

test('an agent that costs more than what is left of the shared budget is ended, and its stream with it', async () => {
  const spends = { usage: { output: 10, cost: 0.4 } };
  const greedy = {
    when: { story: 'US-002' },
    do: [spends, { sleep: '500ms' }, { usage: { output: 10, cost: 0.4 } }, { hang: true }],
  };
  project = await makeProject({ stories, steps: [greedy, { ...implemented, do: [spends, ...implemented.do] }] });
  await writeFile(join(project.root, 'ralph.config.json'), '{}');
  const start = ['stream', 'start', 'repo', '--scenario', project.scenario, '--skip-review', '--max-cost', '1'];
  const { code, stdout } = await project.ralph(start);
  expect(code).toBe(5);
  expect(stdout).toContain('the streams share');
  expect(await recordOfTree()).toMatchObject({ ended: { reason: 'budget' } });
});
