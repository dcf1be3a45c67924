import { afterEach, describe, expect, test } from 'vitest';
import { type Ended, easySteps, makeProject, type Project } from '../support/project.ts';
import { listTree } from '../support/tree-listing.ts';

const STORIES = [
  // What would steer a terminal is not printed.
  { id: 'US-001', title: 'Say \u001b[2Jone\u202e', description: 'The file says one.' },
  { id: 'US-002', dependsOn: ['US-001'] },
];

let project: Project;
afterEach(() => project?.remove());

/** Starts a dry run and compares the whole repository, `.git` included, with what it was before. */
async function expectNothingWritten(args: readonly string[] = ['--dry-run']): Promise<Ended> {
  const before = await listTree(project.root, { mtimes: true });
  const ended = await project.run(args);
  expect(await listTree(project.root, { mtimes: true })).toEqual(before);
  return ended;
}

describe('ralph run --dry-run', () => {
  test('writes nothing in a repository that never saw a run, and prints plan and prompt', async () => {
    project = await makeProject({ stories: STORIES, verifyCommands: ['sh check.sh'] });
    const { code, stdout, stderr } = await expectNothingWritten();
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout.slice(0, stdout.indexOf('--- prompt ---'))).toMatchInlineSnapshot(`
      "Dry run: nothing is written and no agent is started.

      backlog   ralph/tasks.json: 2 stories, 0 done
      branch    ralph/test
      agent     scripted
      isolation none: agents and checks run with your own permissions
      checks    sh check.sh
      limit     15 iterations; about 6 needed (2 stories left)
      first     implement US-001 Say one

      "
    `);
    const prompt = stdout.slice(stdout.indexOf('--- prompt ---'));
    for (const part of ['US-001', 'Say one', 'The file says one.', 'it works', 'sh check.sh', 'ralph/tasks.json'])
      expect(prompt).toContain(part);
    expect(prompt).not.toMatch(/\{\{[A-Z_]+\}\}/);
    for (const trick of ['\u001b', '\u202e']) expect(stdout).not.toContain(trick);
  });

  test('writes nothing after a run, and plans what comes next', async () => {
    project = await makeProject({ stories: STORIES, steps: [...easySteps('US-001'), ...easySteps('US-002')] });
    await project.run(['1']);
    const { code, stdout } = await expectNothingWritten();
    expect(code).toBe(0);
    expect(stdout).toMatch(/^first +review US-001 Say one$/m);
    await project.run();
    expect((await expectNothingWritten()).stdout).toMatch(/^first +nothing: every story is done$/m);
  });

  test('names the reviewers where they are chosen, and says when there are none', async () => {
    project = await makeProject({ stories: STORIES });
    expect((await project.run(['--dry-run', '--skip-review'])).stdout).toMatch(/^review +none: passing checks/m);
    await project.write('ralph.config.json', '{ "review": { "agents": ["claude", "codex"], "panel": 2 } }');
    expect((await project.run(['--dry-run'])).stdout).toMatch(/^review +claude, codex; 2 of them must approve$/m);
  });

  test('writes nothing where the user has uncommitted work, and does not refuse: nothing is at risk', async () => {
    project = await makeProject({ stories: STORIES });
    await project.write('README.md', '# changed\n');
    await project.write('staged.txt', 'staged\n');
    await project.git('add', 'staged.txt');
    await project.write('new.txt', 'untracked\n');
    expect((await expectNothingWritten()).code).toBe(0);
  });

  test('writes nothing while an index with old times invites git to refresh it', async () => {
    project = await makeProject({ stories: STORIES });
    await project.write('README.md', '# project\n');
    expect((await expectNothingWritten()).code).toBe(0);
  });

  test('writes nothing of a story that failed before, and says so in plan and prompt', async () => {
    project = await makeProject({
      stories: STORIES,
      verifyCommands: ['test ! -e broken.txt'],
      steps: [{ do: [{ write: { path: 'broken.txt', content: 'x' } }, { status: { STATUS: 'COMPLETE' } }] }],
    });
    await project.run(['--once']);
    const { stdout } = await expectNothingWritten();
    expect(stdout).toMatch(/^first +implement US-001 Say one \(attempt 2\)$/m);
    expect(stdout).toContain('test ! -e broken.txt');
    expect(stdout).toMatch(/git show refs\/ralph\/rescue\/\S+/);
  });

  test('writes nothing where only blocked stories are left, and ends with 6', async () => {
    project = await makeProject({ stories: [{ id: 'US-001', blocked: 'waits for the printer' }] });
    const { code, stdout } = await expectNothingWritten();
    expect(code).toBe(6);
    expect(stdout).toContain('US-001: waits for the printer');
    expect(stdout).not.toContain('--- prompt ---');
  });

  test('writes nothing when it refuses', async () => {
    project = await makeProject({ backlog: { path: 'ralph/tasks.json', text: '{ "userStories": [' } });
    expect((await expectNothingWritten()).code).toBe(2);
  });

  test('prints the same plan as data with --json', async () => {
    project = await makeProject({ stories: STORIES });
    const { stdout } = await expectNothingWritten(['--dry-run', '--json']);
    const plan = JSON.parse(stdout);
    expect(plan).toMatchObject({
      backlog: 'ralph/tasks.json',
      counts: { total: 2, done: 0, blocked: 0 },
      branch: 'ralph/test',
      attempt: 1,
    });
    expect(plan.prompt).toContain('US-001');
  });

  test('goes by its old name --no-commit as well', async () => {
    project = await makeProject({ stories: STORIES });
    const { code, stdout } = await expectNothingWritten(['--no-commit']);
    expect(code).toBe(0);
    expect(stdout).toBe((await expectNothingWritten(['--dry-run'])).stdout);
  });
});
