import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { needs } from '../support/debian.ts';
import {
  backlogOf,
  checked,
  DONE,
  everything,
  MARK,
  marked,
  merged,
  onMain,
  project,
  refused,
  work,
} from '../support/merge-project.ts';
import { easySteps } from '../support/project.ts';
import { listTree } from '../support/tree-listing.ts';
import { until } from '../support/until.ts';

/* Merging streams into the branch they came from: all of it or nothing. */

const noBwrap = await needs('bwrap');

describe('a merge', () => {
  test('moves the branch and its files on where that is possible, and says what is next', {
    tags: ['promise'],
  }, async () => {
    const head = await work(1, { 'new.txt': 'x\n' });
    const said = await merged('1');
    expect(said).toMatch(/merged ralph\/prd-1 into main: 1 commit, as a fast-forward/);
    expect(said).toContain('next: git push');
    expect(await project.git('rev-parse', 'main')).toBe(head);
    expect(await project.read('new.txt')).toBe('x\n');
    expect(await project.git('status', '--porcelain')).toBe('');
  });

  test('is a commit where both went on, with a trailer that names the stream, by the person', async () => {
    const head = await work(1, { 'new.txt': 'x\n' });
    await onMain({ 'b.txt': 'other\n' });
    const base = await project.git('rev-parse', 'main');
    await merged('PRD-1');
    expect(await project.git('log', '-1', '--format=%P|%an|%s|%(trailers:key=Ralph-Merge,valueonly)', 'main')).toMatch(
      `${base} ${head}|A User|Merge branch 'ralph/prd-1' into main|PRD-1`,
    );
    expect([await project.read('b.txt'), await project.read('new.txt')]).toEqual(['other\n', 'x\n']);
    expect(await project.git('status', '--porcelain')).toBe('');
  });

  test('is a commit always with --no-ff', { tags: ['long'] }, async () => {
    await work(1, { 'new.txt': 'x\n' });
    await merged('1', '--no-ff');
    expect(await project.git('rev-list', '--count', '--merges', 'main')).toBe('1');
  });

  test('that was made already is none, and no error', async () => {
    await work(1, { 'new.txt': 'x\n' });
    await merged('1');
    const before = await everything();
    expect(await merged('1')).toContain('already');
    expect(await everything()).toEqual(before);
  });

  test('of several continues after one that cannot be made', { tags: ['long'] }, async () => {
    await work(1, { 'a.txt': 'ONE\ntwo\nthree\n' });
    await work(2, { 'two.txt': '2\n' });
    await onMain({ 'a.txt': 'Eins\ntwo\nthree\n' });
    const { code, stdout } = await project.ralph(['stream', 'merge', '1', '2', '--as-is', '--json']);
    expect(code).toBe(1);
    expect(JSON.parse(stdout).merges).toMatchObject([
      { stream: 'PRD-1', into: 'main', result: 'conflict', paths: ['a.txt'] },
      { stream: 'PRD-2', branch: 'ralph/prd-2', result: 'merged', how: 'merge-commit' },
    ]);
  });

  test('into a branch that is checked out nowhere leaves the checkout alone', async () => {
    await work(1, { 'new.txt': 'x\n' });
    await project.git('switch', '-q', '-c', 'elsewhere');
    const before = await listTree(project.root, { without: ['.git', '.ralph/worktrees'] });
    await merged('1', '--into', 'main');
    expect(await listTree(project.root, { without: ['.git', '.ralph/worktrees'] })).toEqual(before);
    expect(await project.git('rev-parse', 'main')).toBe(await project.git('rev-parse', 'ralph/prd-1'));
    expect(await project.git('status', '--porcelain')).toBe('');
  });

  test('into a branch that is checked out in another work tree brings its files along', async () => {
    await work(1, { 'new.txt': 'x\n' });
    await project.git('switch', '-q', '--detach');
    const other = join(project.outside, 'other');
    await project.git('worktree', 'add', '-q', other, 'main');
    await merged('1');
    expect(await readFile(join(other, 'new.txt'), 'utf8')).toBe('x\n');
  });

  test('keeps changes of other files, staged or not', { tags: ['long'] }, async () => {
    await work(1, { 'new.txt': 'x\n' });
    await project.write('a.txt', 'mine\n');
    await project.write('b.txt', 'staged\n');
    await project.git('add', 'b.txt');
    await project.write('notes.txt', 'untracked\n');
    const before = await project.git('status', '--porcelain');
    await merged('1');
    expect(await project.git('status', '--porcelain')).toBe(before);
    expect([await project.read('a.txt'), await project.read('new.txt')]).toEqual(['mine\n', 'x\n']);
  });

  test('with --dry-run is only told', async () => {
    await work(1, { 'new.txt': 'x\n' });
    await refused(0, /would merge ralph\/prd-1 into main: 1 commit, as a fast-forward/, '1', '--dry-run');
  });
});

describe('a stream with a work tree of its own', () => {
  const start = ['stream', 'start', '1', '--agent', 'scripted', '--scenario', '../outside/scenario.yaml'];

  beforeEach(async () => {
    const settings = { worktree: { copy: ['.env'], setup: ['mkdir -p deps && touch deps/installed'] } };
    await onMain({
      '.gitignore': '.env\ndeps\n',
      'ralph.config.json': JSON.stringify(settings),
      '.ralph/PRD-1/tasks.json': backlogOf(1, {}, ['grep -q secret .env && test -e deps/installed']).text,
    });
    await project.write('.env', 'secret\n');
    await writeFile(project.scenario, stringify({ version: 1, steps: easySteps('US-001') }));
    const { code, stdout, stderr } = await project.ralph(start);
    expect(code, stdout + stderr).toBe(0);
  });

  test('is merged into the branch that was checked out when it began, checked in a tree that is prepared alike', async () => {
    await project.git('switch', '-q', '-c', 'later');
    expect(await merged('1')).toMatch(/into main[\s\S]*ralph stream remove 1/);
    expect(await project.git('show', 'main:src/US-001.txt')).toBe('made for US-001');
    expect(await project.git('log', 'main', '--format=%s')).toContain('feat(US-001)');
  });

  test.skipIf(noBwrap)('is checked inside the isolation, if there is one', async () => {
    const env = { RALPH_ISOLATION_BACKEND: 'bwrap' };
    const { code, stdout, stderr } = await project.ralph(['stream', 'merge', '1', '--json'], env);
    expect(code, stdout + stderr).toBe(0);
    expect(JSON.parse(stdout).merges).toMatchObject([{ stream: 'PRD-1', worktree: true, result: 'merged' }]);
    expect(await project.read('src/US-001.txt')).toBe('made for US-001\n');
    expect(await project.git('status', '--porcelain')).toBe('');
  });
});

describe('a spec folder that was never committed', () => {
  const agent = ['--agent', 'scripted', '--scenario', '../outside/scenario.yaml'];

  beforeEach(async () => {
    for (const args of [
      ['init', '--prd', '3'],
      ['stories', 'add', 'A cart', '-c', 'it adds up', '--prd', '3'],
    ]) {
      expect((await project.ralph(args)).code).toBe(0);
    }
    await writeFile(project.scenario, stringify({ version: 1, steps: easySteps('US-001') }));
    expect((await project.ralph(['stream', 'start', '3', ...agent])).code).toBe(0);
  });

  test('gives way to what the stream made of it', { tags: ['long'] }, async () => {
    expect((await project.ralph(['stream', 'merge', '3', '--as-is', '--dry-run'])).code).toBe(0);
    await merged('3');
    expect(await project.git('status', '--porcelain')).toBe('');
    expect(JSON.parse(await project.read('.ralph/PRD-3/tasks.json')).userStories[0].passes).toBe(true);
  });

  test('is no conflict when it was committed meanwhile', { tags: ['long'] }, async () => {
    await onMain({ 'b.txt': 'went on\n' });
    await merged('3');
    expect(await project.git('status', '--porcelain')).toBe('');
  });

  test('and that a person went on with is in the way, with a way out that works', async () => {
    await project.ralph(['stories', 'add', 'A till', '-c', 'it rings', '--prd', '3']);
    await refused(1, /in the way[\s\S]*tasks\.json/, '3', '--dry-run');
    const said = await refused(1, /in the way[\s\S]*tasks\.json/, '3');
    const [, where = '', path = ''] = /git -C (\S+) stash push -a -- (\S+)\n/.exec(said) ?? [];
    await project.git('-C', where, 'stash', 'push', '-a', '--', path);
    await merged('3');
    expect(await project.git('stash', 'show', '-p', '--include-untracked')).toContain('A till');
  });
});

describe('everything stays as it was', () => {
  test('with a backlog that was changed on both sides, and the output says so', { tags: ['long'] }, async () => {
    await work(1, { '.ralph/PRD-1/tasks.json': backlogOf(1, { ...DONE, title: 'as the stream has it' }).text });
    await onMain({ '.ralph/PRD-1/tasks.json': backlogOf(1, { ...DONE, title: 'as a person has it' }).text });
    await refused(1, /tasks\.json\nThe backlog was changed on main while its stream worked/, '1');
  });

  test('with a conflict, and the files and the way out are named', async () => {
    await work(1, { 'a.txt': 'ONE\ntwo\nthree\n', 'c.txt': 'mine\n' });
    await onMain({ 'a.txt': 'Eins\ntwo\nthree\n', 'c.txt': 'theirs\n' });
    const said = await refused(1, /conflicts in 2 files/, '1');
    expect(said).toMatch(/ {2}a\.txt\n {2}c\.txt\n/);
    expect(said).toContain('git merge main');
  });

  test('with a check that is red on the merged tree, green as it is on each side', { tags: ['promise'] }, async () => {
    await checked('test ! -e one || test ! -e other');
    await work(1, { one: '' });
    await onMain({ other: '' });
    const said = await refused(1, /would make 1 check fail/, '1');
    expect(said).not.toContain('without the merge');
    await merged('1', '--no-checks');
  });

  test('with a check that is red without it, too, and the output says so', { tags: ['long'] }, async () => {
    await checked('echo broken here; false');
    await work(1, { one: '' });
    const said = await refused(1, /also fails without the merge/, '1');
    expect(said).toContain('broken here');
  });

  test('with changes in a file that the merge touches', async () => {
    await work(1, { 'a.txt': 'ONE\ntwo\nthree\n' });
    await project.write('a.txt', 'mine\n');
    await refused(1, /in the way[\s\S]*a\.txt/, '1');
  });

  test('with an untracked file where the merge has one', { tags: ['long'] }, async () => {
    await work(1, { 'new.txt': 'x\n' });
    await project.write('new.txt', 'precious\n');
    await refused(1, /in the way[\s\S]*new\.txt/, '1');
  });

  test('with stories that are not done, unless one says so', async () => {
    await work(1, { '.ralph/PRD-1/tasks.json': backlogOf(1, {}).text });
    await refused(2, /1 of 1 stories of PRD-1 are not done: US-001 \(to do\)[\s\S]*--unfinished/, '1');
    await merged('1', '--unfinished');
  });

  test('with a merge of the person under way', { tags: ['long'] }, async () => {
    await work(1, { 'new.txt': 'x\n' });
    await work(2, { 'a.txt': 'TWO\n' });
    await onMain({ 'a.txt': 'mine\n' });
    await expect(project.git('merge', 'ralph/prd-2')).rejects.toThrow();
    await refused(2, /a merge is under way/, '1');
  });

  test('with uncommitted work in the work tree of the stream', { tags: ['long'] }, async () => {
    await work(1, { 'new.txt': 'x\n' });
    const tree = join(project.outside, 'tree');
    await project.git('worktree', 'add', '-q', tree, 'ralph/prd-1');
    await writeFile(join(tree, 'a.txt'), 'not committed\n');
    await refused(2, /uncommitted changes: a\.txt/, '1');
  });

  test('without a branch, into itself, or into nothing', async () => {
    await refused(2, /there is no branch ralph\/prd-1/, '1');
    await work(1, { 'new.txt': 'x\n' });
    await refused(2, /cannot be merged into itself/, '1', '--into', 'ralph/prd-1');
    await refused(2, /there is no branch nowhere/, '1', '--into', 'nowhere');
    await refused(2, /there is no stream 'nobody'[\s\S]*no stream has been started/, 'nobody');
  });

  test('when an agent tries', async () => {
    await work(1, { 'new.txt': 'x\n' });
    const before = await everything();
    const { code, stderr } = await project.ralph(['stream', 'merge', '1'], { RALPH_RUN_ID: 'x' });
    expect([code, stderr]).toEqual([2, expect.stringContaining('is not for agents')]);
    expect(await everything()).toEqual(before);
  });

  test('when the person ends it while the checks run', async () => {
    await checked(`touch ${MARK}; sleep 60`);
    await work(1, { 'new.txt': 'x\n' });
    const before = await everything();
    const { child, ended } = project.start(['stream', 'merge', '1']);
    await until(marked);
    child.kill('SIGINT');
    expect((await ended).code).toBe(130);
    expect(await everything()).toEqual(before);
  });

  test('while a run is at work on one of the branches', { tags: ['long'] }, async () => {
    const head = await work(1, { 'new.txt': 'x\n' });
    await project.git('switch', '-q', 'ralph/prd-1');
    await writeFile(project.scenario, JSON.stringify({ version: 1, steps: [{ do: [{ sleep: 60 }] }] }));
    await project.write('.ralph/PRD-1/tasks.json', backlogOf(1, {}).text);
    await project.git('commit', '-qam', 'again');
    const run = project.start(['run', '--prd', '1', '--agent', 'scripted', '--scenario', project.scenario]);
    await until(async () => (await project.read('.ralph/status.json')).includes('iteration'));
    const { code, stderr } = await project.ralph(['stream', 'merge', '1', '--unfinished']);
    expect([code, stderr]).toEqual([4, expect.stringContaining('is under way on ralph/prd-1')]);
    run.child.kill('SIGINT');
    await run.ended;
    expect(await project.git('merge-base', '--is-ancestor', head, 'main').catch(() => 'no')).toBe('no');
  });
});
