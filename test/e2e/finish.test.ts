import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { easySteps, makeProject, type Project, type ProjectOptions } from '../support/project.ts';
import { listTree } from '../support/tree-listing.ts';

/* The person's history: one commit for each story, and no file of ralph's. */

let project: Project;
afterEach(() => project?.remove());

const STORIES = ['US-001', 'US-002', 'US-003'];

/** Three stories, each implemented and approved once. */
async function done(options: ProjectOptions = {}): Promise<void> {
  const steps = STORIES.flatMap((id) => easySteps(id));
  project = await makeProject({
    stories: STORIES.map((id) => ({ id, title: `Title of ${id}`, acceptanceCriteria: [`${id} works`] })),
    verifyCommands: ['test -e README.md'],
    steps,
    ...options,
  });
  const { code, stdout, stderr } = await project.run();
  expect(code, stdout + stderr).toBe(0);
}

async function finish(...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await project.ralph(['finish', ...args]);
  expect(code, stdout + stderr).toBe(0);
  return stdout;
}

const subjects = async (range: string) => (await project.git('log', '--reverse', '--format=%s', range)).split('\n');
const BRANCH = 'ralph/test';

describe('ralph finish', () => {
  test('makes three commits of three stories, without a file of ralph, verified and undone by the command it names', {
    tags: ['promise'],
  }, async () => {
    await done();
    expect(await subjects(`main..${BRANCH}`)).toHaveLength(6);
    const before = await project.git('rev-parse', 'main', BRANCH);
    const said = await finish();
    expect(await subjects(`${before.split('\n')[0]}..main`)).toEqual(
      STORIES.map((id) => `feat(${id}): Title of ${id}`),
    );
    expect(await project.git('diff', '--name-only', `main~3`, 'main', '--', 'ralph', '.ralph')).toBe('');
    expect(await project.git('diff', '--name-only', BRANCH, 'main', '--', '.', ':!ralph', ':!.ralph')).toBe('');
    expect(await project.git('log', '-1', '--format=%an|%b', 'main')).toMatch(
      /^A User\|- US-003 works\n\nChecks passed: test -e README\.md\.\nApproved by a review on \d{4}-\d\d-\d\d\.$/,
    );
    expect(said).toContain('checked before, on the merged tree: test -e README.md');
    expect(await project.git('rev-parse', BRANCH)).toBe(before.split('\n')[1]);
    expect(await project.git('status', '--porcelain')).toBe('');
    expect(await finish()).toMatch(/main already contains ralph\/test.*\nundo: git branch -f main \S+\n$/);
    expect((await project.ralph(['status'])).stdout).toContain('next: git switch main');
    await project.git('switch', '-q', 'main');
    expect(await project.git('status', '--porcelain')).toBe('');
    await project.git('reset', '-q', '--keep', /undo: git branch -f main (\S+)/.exec(said)?.[1] ?? '');
    expect(await project.git('rev-parse', 'main', BRANCH)).toBe(before);
    await project.git('switch', '-q', BRANCH);
    await finish();
  });

  test('with --dry-run it changes nothing, --squash and --as-is choose the commits', { tags: ['long'] }, async () => {
    await done();
    const before = await project.git('for-each-ref');
    expect(await finish('--dry-run')).toMatch(/as 3 commits without ralph's files[\s\S]*feat\(US-001\)[\s\S]*US-003/);
    expect(await project.git('for-each-ref')).toBe(before);
    await project.git('branch', 'all', 'main');
    await finish('--squash');
    expect(await subjects('all..main')).toEqual(['demo: 3 stories'].map(() => expect.stringMatching(/: 3 stories$/)));
    await finish('--as-is', '--into', 'all');
    expect(await project.git('rev-parse', 'all')).toBe(await project.git('rev-parse', BRANCH));
    expect((await project.ralph(['finish', '--squash', '--as-is'])).code).toBe(2);
  });

  test('continues after more work, with only what is new', { tags: ['long'] }, async () => {
    await done();
    await finish();
    const first = await project.git('rev-parse', 'main');
    await project.ralph(['stories', 'add', 'One more', '--id', 'US-004', '-c', 'it works']);
    await project.write('src/US-001.txt', 'by hand\n');
    await project.git('commit', '-q', '-m', 'by hand', 'src/US-001.txt');
    await writeFile(project.scenario, JSON.stringify({ version: 1, steps: easySteps('US-004') }));
    const { code, stdout } = await project.run();
    expect(code, stdout).toBe(0);
    await finish();
    expect(await subjects(`${first}..main`)).toEqual(['by hand', 'feat(US-004): One more']);
  });

  test('says a conflict with its way out, which works; nothing is changed before', async () => {
    await done();
    await project.git('switch', '-q', 'main');
    await project.write('src/US-002.txt', 'of main\n');
    await project.git('add', '-A');
    await project.git('commit', '-q', '-m', 'on main');
    await project.git('switch', '-q', BRANCH);
    const before = [await project.git('for-each-ref'), await listTree(project.root, { without: ['.git'] })];
    const { code, stdout } = await project.ralph(['finish']);
    expect([code, stdout]).toEqual([
      1,
      expect.stringMatching(/conflicts in 1 file\n {2}src\/US-002\.txt\nNothing was/),
    ]);
    expect(stdout).toContain('then: ralph finish');
    expect([await project.git('for-each-ref'), await listTree(project.root, { without: ['.git'] })]).toEqual(before);
    await expect(project.git('merge', 'main')).rejects.toThrow();
    await project.write('src/US-002.txt', 'both\n');
    await project.git('add', '-A');
    await project.git('commit', '-q', '-m', 'Merge main');
    await finish();
    expect(await project.git('show', 'main:src/US-002.txt')).toBe('both');
    expect(await subjects(`${BRANCH}..main`)).toHaveLength(3);
  });

  test('loses no uncommitted work where the target is checked out, and moves nothing when a check is red', async () => {
    await done();
    const tree = join(project.outside, 'tree');
    await project.git('worktree', 'add', '-q', tree, 'main');
    await writeFile(join(tree, 'README.md'), 'half an idea\n');
    await finish();
    expect(await project.git('-C', tree, 'status', '--porcelain')).toBe(' M README.md');
    await project.git('-C', tree, 'reset', '-q', '--keep', 'refs/ralph/before-finish/main');
    await project.git('-C', tree, 'switch', '-q', '--detach');
    await project.write('ralph.config.json', JSON.stringify({ verifyCommands: ['false'] }));
    const before = await project.git('for-each-ref');
    const red = await project.ralph(['finish']);
    expect([red.code, red.stdout]).toEqual([1, expect.stringContaining('not merged: 1 check fails on main, with')]);
    expect(await project.git('for-each-ref')).toBe(before);
  });

  test('killed while it wrote files, it is named by status and finished by the same command', async () => {
    await done();
    const base = await project.git('rev-parse', 'main');
    await finish();
    const made = await project.git('rev-parse', 'main');
    await project.git('switch', '-q', 'main');
    await project.git('reset', '-q', '--hard', base);
    await project.write('.git/ralph/advance', `${base} ${made}\n`);
    await project.write('src/US-001.txt', 'made');
    expect((await project.ralph(['status'])).stdout).toContain('next: ralph finish  a merge was cut off');
    await finish();
    expect([await project.git('rev-parse', 'main'), await project.git('status', '--porcelain')]).toEqual([made, '']);
    expect((await project.ralph(['status'])).stdout).not.toContain('cut off');
  });

  test('a check that was red before the loop does not stop it, either', { tags: ['long'] }, async () => {
    const red = 'test ! -e README.md';
    await done({ verifyCommands: ['test -e README.md', red] });
    const strict = await project.ralph(['finish'], { RALPH_REQUIRE_GREEN: '1' });
    expect([strict.code, strict.stdout]).toEqual([
      1,
      expect.stringContaining('not merged: 1 check fails on main, with'),
    ]);
    expect(await finish()).toMatch(/test -e README\.md.*\nwarning: fails as before the loop: test ! -e README\.md\n/);
  });

  test('is refused with open stories, on the branch itself, and to agents', async () => {
    project = await makeProject({ stories: [{ id: 'US-001' }] });
    await project.git('switch', '-q', '-c', BRANCH);
    expect(await project.ralph(['finish', '--into', BRANCH])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('cannot be merged into itself'),
    });
    await project.git('commit', '-q', '--allow-empty', '-m', 'x');
    const open = await project.ralph(['finish']);
    expect([open.code, open.stderr]).toEqual([2, expect.stringContaining('stories of repo are not done')]);
    const agent = await project.ralph(['finish'], { RALPH_RUN_ID: 'x' });
    expect([agent.code, agent.stderr]).toEqual([2, expect.stringContaining('is not for agents')]);
  });
});

test('a stream is brought home the same way, and its work tree may go then', { tags: ['long'] }, async () => {
  project = await makeProject({
    stories: STORIES.map((id) => ({ id })),
    steps: STORIES.flatMap((id) => easySteps(id)),
  });
  const { code, stdout } = await project.run(['--worktree']);
  expect(code, stdout).toBe(0);
  const before = await project.git('rev-parse', 'main');
  const merged = await project.ralph(['stream', 'merge', 'repo']);
  expect(merged.code, merged.stderr).toBe(0);
  expect(await subjects(`${before}..main`)).toHaveLength(3);
  expect(await project.read('src/US-003.txt')).toContain('US-003');
  expect(await project.git('status', '--porcelain')).toBe('');
  const removed = await project.ralph(['stream', 'remove', 'repo']);
  expect(removed.code, removed.stderr).toBe(0);
});
