import { existsSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { needs } from '../support/debian.ts';
import { easySteps, makeProject, type Project, type ProjectOptions } from '../support/project.ts';
import { ledgerOf } from '../support/records.ts';
import { APPROVED, READY, write } from '../support/says.ts';
import { until } from '../support/until.ts';

/** A person works in the checkout in which an isolated agent is at work: what is theirs stays as they left it. */

const missing = await needs('bwrap');
const HOLD = { run: 'until [ -e go.tmp ]; do sleep 0.05; done' };
const OPTIONS: ProjectOptions = {
  files: { '.gitignore': '*.tmp\n', 'notes.txt': 'one\ntwo\nthree\n' },
  stories: [{ id: 'US-001' }, { id: 'US-002' }],
  steps: [
    ...easySteps('US-001'),
    { when: { story: 'US-002', mode: 'implement' }, do: [write('src/two.txt', '2\n'), HOLD, READY] },
    ...easySteps('US-002'),
  ],
};

let project: Project;
afterEach(() => project?.remove());

const at = (path: string) => join(project.root, path);
const subjects = async (branch: string) => (await project.git('log', '--format=%s', branch)).split('\n');

/** Runs until the agent of the second story is held, lets a person work, lets go and waits for the end. */
async function beside(person: () => Promise<unknown>, args: readonly string[] = [], options = OPTIONS) {
  project = await makeProject(options);
  const { ended } = project.start(['run', '--scenario', project.scenario, '--sandbox=bwrap', ...args]);
  await until(async () => existsSync(at('src/two.txt')));
  await person();
  await writeFile(at('go.tmp'), '');
  const { code, stdout, stderr } = await ended;
  return { code, said: stdout + stderr };
}

describe.skipIf(missing)('while an isolated agent works', () => {
  test('who switches branch and commits there stays there, and the loop stands aside', async () => {
    const { code, said } = await beside(async () => {
      await project.git('switch', '-q', '-c', 'mine');
      await project.write('mine.txt', 'mine\n');
      await project.git('add', 'mine.txt');
      await project.git('commit', '-qm', 'my own work');
    });
    expect(code, said).toBe(2);
    expect(said).toContain('you switched from ralph/test to mine');
    expect(await project.git('branch', '--show-current')).toBe('mine');
    expect(await subjects('mine')).toContain('my own work');
    // The agent's work is kept, and not left behind among the person's files.
    expect(existsSync(at('src/two.txt'))).toBe(false);
    expect(await project.git('status', '--porcelain')).toBe('');
    expect((await project.stories()).map(({ passes }) => passes)).toEqual([true, false]);
    const [rescue] = (await project.git('for-each-ref', '--format=%(refname)', 'refs/ralph/rescue')).split('\n');
    expect(await project.git('show', `${rescue}:src/two.txt`)).toBe('2');

    await project.git('switch', '-q', 'ralph/test');
    const again = await project.run(['--sandbox=bwrap']);
    expect(again.code, again.stdout + again.stderr).toBe(0);
    expect(await project.git('ls-tree', '-r', '--name-only', 'ralph/test', 'src')).toBe('src/US-001.txt\nsrc/two.txt');
    expect(await subjects('mine')).toContain('my own work');
  });

  test('a commit of theirs on the branch of the run stays, and nothing that was not committed counts as done', async () => {
    const { code, said } = await beside(async () => {
      await project.write('mine.txt', 'mine\n');
      await project.git('add', 'mine.txt');
      await project.git('commit', '-qm', 'my own work');
    });
    expect(code, said).toBe(2);
    expect(said).toContain('ralph/test was moved');
    expect((await subjects('ralph/test'))[0]).toBe('my own work');
    expect(await project.git('status', '--porcelain')).toBe('');
    expect((await project.stories())[1]).toMatchObject({ passes: false, reviewStatus: null });

    const again = await project.run(['--sandbox=bwrap']);
    expect(again.code, again.stdout + again.stderr).toBe(0);
    expect(await project.git('show', 'ralph/test:src/two.txt')).toBe('2');
    expect(await project.git('show', 'ralph/test:mine.txt')).toBe('mine');
  });

  test.each([
    ['implement', READY],
    ['review', APPROVED],
  ])('a merge of theirs that is under way in an iteration (%s) is left alone', async (mode, answer) => {
    const options: ProjectOptions = {
      ...OPTIONS,
      stories: [{ id: 'US-002' }],
      steps: [
        { when: { story: 'US-002', mode }, do: [write('src/two.txt', '2\n'), HOLD, answer] },
        ...easySteps('US-002'),
      ],
    };
    const { code, said } = await beside(
      async () => {
        await project.git('branch', 'other', 'main');
        const tree = await project.git('rev-parse', 'main^{tree}');
        const other = await project.git('commit-tree', '-p', 'main', '-m', 'the other side', tree);
        await project.git('update-ref', 'refs/heads/other', other);
        await project.git('merge', '--no-ff', '--no-commit', 'other');
      },
      [],
      options,
    );
    expect(code, said).toBe(2);
    expect(said).toContain('your merge is in progress');
    expect(said).toContain('git merge --abort');
    expect(existsSync(at('.git/MERGE_HEAD'))).toBe(true);
    expect((await project.stories())[0]).toMatchObject({ passes: false });
  });

  test("the lock of a git of theirs that writes the index is waited for, and nobody's staged work is lost", async () => {
    const { code, said } = await beside(async () => {
      await project.write('notes.txt', 'one\ntwo\nthree\nmine\n');
      await project.git('add', 'notes.txt');
      await project.write('notes.txt', 'one\ntwo\nthree\n');
      await writeFile(at('.git/index.lock'), '');
      setTimeout(() => void rm(at('.git/index.lock')), 1500);
    });
    expect(code, said).toBe(0);
    // Staged by hand in the middle of an iteration: still staged, and in no commit of the loop's.
    expect(await project.git('show', ':notes.txt')).toBe('one\ntwo\nthree\nmine');
    expect(await project.git('show', 'HEAD:notes.txt')).toBe('one\ntwo\nthree');
    expect(await project.git('show', 'HEAD:src/two.txt')).toBe('2');
    expect((await ledgerOf(project)).map(({ verdict }) => verdict)).toEqual([
      'accepted',
      'accepted',
      'accepted',
      'accepted',
    ]);
  });

  test('who switches branch between two iterations stays there, too', { tags: ['long'] }, async () => {
    project = await makeProject(OPTIONS);
    const { ended } = project.start(['run', '--scenario', project.scenario, '--sandbox=bwrap']);
    await until(async () => existsSync(at('src/two.txt')));
    expect((await project.ralph(['pause'])).code).toBe(0);
    await writeFile(at('go.tmp'), '');
    await until(async () => (await subjects('ralph/test'))[0] === 'feat(US-002): story US-002');
    await until(async () => (await project.ralph(['status'])).stdout.includes('paused'));
    await project.git('switch', '-q', '-c', 'mine');
    expect((await project.ralph(['resume'])).code).toBe(0);
    const { code, stderr } = await ended;
    expect(code, stderr).toBe(2);
    expect(stderr).toContain('you switched from ralph/test to mine');
    expect(await project.git('branch', '--show-current')).toBe('mine');
    expect(await project.git('rev-parse', 'mine')).toBe(await project.git('rev-parse', 'ralph/test'));
  });

  test('a story that is typed into the backlog while a review works is kept and told', async () => {
    const options: ProjectOptions = {
      ...OPTIONS,
      stories: [{ id: 'US-002' }],
      steps: [
        { when: { story: 'US-002', mode: 'review' }, do: [write('src/two.txt', '2\n'), HOLD, APPROVED] },
        ...easySteps('US-002'),
      ],
    };
    const { code, said } = await beside(
      async () => {
        const tasks = JSON.parse(await project.read('ralph/tasks.json'));
        tasks.userStories.push({
          ...tasks.userStories[0],
          id: 'US-003',
          title: 'Typed',
          reviewStatus: null,
          passes: false,
        });
        await project.write('ralph/tasks.json', JSON.stringify(tasks, null, 2));
      },
      [],
      options,
    );
    expect(code, said).toBe(0);
    expect(said).toMatch(/tasks\.json was changed .*\(US-003\)/);
    const name = /if you typed it: ralph rescue show (\S+);/.exec(said)?.[1];
    expect(await project.git('show', `refs/ralph/rescue/${name}:ralph/tasks.json`)).toContain('"Typed"');
  });
});
