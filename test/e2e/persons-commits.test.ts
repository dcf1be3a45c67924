import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { type Ended, makeProject, type Project } from '../support/project.ts';
import { APPROVED, READY, shell, write } from '../support/says.ts';

let project: Project;
afterEach(() => project?.remove());

const MEANWHILE = shell('touch "$HOME/there"; until [ -e "$HOME/go" ]; do sleep 0.05; done');

/** A run without isolation, in whose first iteration a person commits while the agent works. */
async function committedBeside(first: readonly object[], last: readonly object[] = [READY]): Promise<Ended> {
  project = await makeProject({
    files: { 'mine.txt': 'mine\n' },
    stories: [{ id: 'US-001' }],
    verifyCommands: ['test ! -e bad.txt'],
    steps: [
      { when: { iteration: 1 }, do: [...first, ...last] },
      { when: { mode: 'implement' }, do: [write('new.txt', 'x\n'), READY] },
      { when: { mode: 'review' }, do: [APPROVED] },
    ],
  });
  const { ended } = project.start(['run', '--scenario', project.scenario]);
  let isOver = false;
  void ended.then(() => (isOver = true));
  while (!existsSync(`${project.outside}/there`) && !isOver) await wait(20);
  expect(isOver, 'the agent is at work').toBe(false);
  await project.write('mine.txt', 'mine, and more\n');
  await project.git('commit', '-q', '-m', 'by hand', 'mine.txt');
  await writeFile(`${project.outside}/go`, '');
  return ended;
}

test('a commit of a person stays on the branch below the commit of the iteration, and is told', async () => {
  const { code, stdout, stderr } = await committedBeside([
    write('new.txt', 'x\n'),
    MEANWHILE,
    write('late.txt', 'y\n'),
  ]);
  expect(code, stdout + stderr).toBe(0);
  expect(await project.git('log', '-1', '--format=%s', '--name-only', 'HEAD~2')).toBe('by hand\n\nmine.txt');
  expect(await project.git('log', '-1', '--format=%s%n%b', 'HEAD~1')).not.toContain('by hand');
  expect(stdout).toMatch(/you committed on ralph\/test: \w{7} \(commit: by hand\)/);
  expect(await project.git('show', 'HEAD:late.txt')).toBe('y');
  expect(await project.git('status', '--porcelain')).toBe('');
});

test('commits of the agent on top of a person’s become one, and the person’s stays', async () => {
  const commit = shell('git add late.txt && git commit -q -m agents-own');
  const { code, stdout } = await committedBeside([MEANWHILE, write('late.txt', 'y\n'), commit]);
  expect(code, stdout).toBe(0);
  const log = await project.git('log', '--format=%s');
  expect(log).toContain('by hand');
  expect(log).not.toContain('agents-own');
  expect(await project.git('show', 'HEAD:late.txt')).toBe('y');
});

test('where the iteration is rolled back, the commit of the person is kept and named at the end', async () => {
  const { stdout } = await committedBeside([write('bad.txt', 'x\n'), MEANWHILE]);
  expect(stdout).toMatch(/Needs you/);
  const [, id] = /git cherry-pick (\w{12})/.exec(stdout.slice(stdout.indexOf('Needs you'))) ?? [];
  expect(await project.git('show', `${id}:mine.txt`)).toBe('mine, and more');
  const refs = await project.git('for-each-ref', '--format=%(objectname)', 'refs/ralph/moved');
  expect(refs).toContain(id);
});

test('an agent that hides its mark gets no configuration onto the branch by that', async () => {
  const hidden = shell(
    'echo "{}" > ralph.config.json && git add ralph.config.json && env -u GIT_REFLOG_ACTION git commit -q -m hidden',
  );
  const { code, stdout } = await committedBeside([hidden, MEANWHILE, write('late.txt', 'y\n')]);
  expect(code, stdout).toBe(0);
  expect(await project.git('ls-tree', '-r', '--name-only', 'HEAD')).not.toContain('ralph.config.json');
  expect(stdout).toMatch(/Needs you[\s\S]*by hand[\s\S]*git cherry-pick/);
});
