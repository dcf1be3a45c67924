import { existsSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { makeProject, type Project } from '../support/project.ts';
import { READY, write } from '../support/says.ts';

let project: Project;
afterEach(() => project?.remove());

/** A run whose first agent does this and stays, killed; the next agent finishes the story. */
async function killed(...first: readonly object[]): Promise<void> {
  project = await makeProject({
    files: { 'mine.txt': 'mine\n' },
    stories: [{ id: 'US-001' }],
    steps: [
      {
        when: { iteration: 1 },
        do: [write('half.txt', 'half\n'), ...first, { run: 'touch "$HOME/there"' }, { hang: true }],
      },
      { do: [write('whole.txt', 'whole\n'), READY] },
    ],
  });
  const { child, ended } = project.start(['run', '-n', '1', '--scenario', project.scenario]);
  let over = false;
  void ended.then(() => (over = true));
  while (!existsSync(`${project.outside}/there`) && !over) await wait(20);
  expect(over, 'the agent is at work').toBe(false);
  child.kill('SIGKILL');
  await ended;
}

async function everything(): Promise<string> {
  const [status, head, refs, stash] = await Promise.all([
    project.git('status', '--porcelain', '--branch', '--ignored'),
    project.git('symbolic-ref', 'HEAD'),
    project.git('for-each-ref'),
    project.git('stash', 'list'),
  ]);
  return [status, head, refs, stash, await project.read('mine.txt')].join('\n');
}

test('after a crash, a start on a branch that the person switched to touches nothing and says how to go on', async () => {
  await killed();
  await project.git('switch', '-q', '-c', 'my-fix');
  await project.write('mine.txt', 'mine, and more\n');
  const before = await everything();

  const refused = await project.run(['-n', '1']);
  expect(refused.code).toBe(2);
  expect(refused.stderr).toContain('my-fix');
  expect(refused.stderr).toMatch(/interrupted on ralph\/test/);
  expect(refused.stderr).toContain('git switch ralph/test');
  expect(refused.stderr).not.toContain('was moved');
  expect(await everything()).toBe(before);
  expect((await project.run(['-n', '1'])).code, 'a second start is refused the same way').toBe(2);

  await project.git('commit', '-q', '-m', 'mine', 'mine.txt');
  await project.git('switch', '-q', 'ralph/test');
  const gone = await project.run(['-n', '1']);
  expect(gone.code, gone.stderr).toBe(1);
  expect(await project.git('show', 'my-fix:mine.txt')).toBe('mine, and more');
  expect(await project.git('log', '--format=%s', 'ralph/test')).toContain('US-001');
});

test('where the branch is gone since, the way back names its commit', async () => {
  await killed();
  const head = await project.git('rev-parse', '--short=12', 'ralph/test');
  await project.git('switch', '-q', '-c', 'my-fix');
  await project.git('branch', '-q', '-D', 'ralph/test');
  const { code, stderr } = await project.run(['-n', '1']);
  expect(code).toBe(2);
  expect(stderr).toContain(`git switch -c ralph/test ${head}`);
});

test('a branch that the agent itself had switched to keeps no start from going on', async () => {
  await killed({ run: 'git checkout -q -b own' });
  const { code, stdout, stderr } = await project.run(['-n', '1']);
  expect(code, stderr).toBe(1);
  expect(stdout).toContain('rolled back');
  expect(await project.git('symbolic-ref', '--short', 'HEAD')).toBe('ralph/test');
});
