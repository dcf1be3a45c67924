import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { makeProject, type Project } from '../support/project.ts';
import { ledgerOf } from '../support/records.ts';
import { APPROVED, READY, shell, write } from '../support/says.ts';

let project: Project;
afterEach(() => project?.remove());

/** The person keeps the spec folder out of the repository. */
async function ignoredProject(steps: readonly Readonly<Record<string, unknown>>[]): Promise<void> {
  project = await makeProject({ stories: [{ id: 'US-001' }], steps });
  await project.write('.gitignore', '/ralph/\n');
  await project.git('rm', '-r', '-q', '--cached', 'ralph');
  await project.git('add', '.gitignore');
  await project.git('commit', '-q', '-m', 'the plan stays here');
}

/** Starts a run, and kills it where this file appears outside of the project. */
async function killedAt(name: string): Promise<void> {
  const { child, ended } = project.start(['run', '--scenario', project.scenario]);
  let isOver = false;
  void ended.then(() => (isOver = true));
  while (!existsSync(`${project.outside}/${name}`) && !isOver) await wait(20);
  expect(isOver, 'it is at work').toBe(false);
  child.kill('SIGKILL');
  await ended;
}

const CLAIM_ALL = shell(`sed -i 's/"passes": false/"passes": true/' ralph/tasks.json`);

test('an ignored spec folder is in no commit; the stories are done in the file, and the start says so once', async () => {
  await ignoredProject([
    { when: { mode: 'implement' }, do: [write('new.txt', 'x\n'), READY] },
    { when: { mode: 'review' }, do: [APPROVED] },
  ]);
  const before = await project.git('rev-parse', 'HEAD');
  const { code, stdout, stderr } = await project.run();
  expect(code, stdout + stderr).toBe(0);
  expect(await project.stories()).toMatchObject([{ passes: true, reviewStatus: 'approved' }]);
  expect(await project.git('log', '--format=', '--name-only', `${before}..HEAD`)).not.toMatch(/^ralph\//m);
  expect(await project.git('ls-files', 'ralph')).toBe('');
  expect(await project.git('show', 'HEAD:new.txt')).toBe('x');
  expect(stdout.match(/Git ignores ralph\/tasks\.json/g)).toHaveLength(1);
  const again = await project.run();
  expect(again.code, again.stdout).toBe(0);
  expect(await project.git('status', '--porcelain')).toBe('');
});

test('after a crash the backlog that the killed agent had changed is put back, and its version kept', async () => {
  await ignoredProject([
    { when: { iteration: 1 }, do: [CLAIM_ALL, write('half.txt', ''), shell('touch "$HOME/there"'), { hang: true }] },
    { when: { mode: 'implement' }, do: [write('new.txt', 'x\n'), READY] },
    { when: { mode: 'review' }, do: [APPROVED] },
  ]);
  await killedAt('there');
  expect(await project.stories()).toMatchObject([{ passes: true }]);
  const { code, stdout } = await project.run();
  expect(code, stdout).toBe(0);
  expect(await ledgerOf(project)).toMatchObject([
    { iteration: 1, verdict: 'interrupted' },
    { mode: 'implement', verdict: 'accepted' },
    { mode: 'review', state: 'approved' },
  ]);
  const rescues = await project.git('for-each-ref', '--format=%(refname)', 'refs/ralph/rescue');
  const backlogs = await Promise.all(
    rescues.split('\n').map((ref) => project.git('show', `${ref}:ralph/tasks.json`).catch(() => '')),
  );
  expect(backlogs.join('\n')).toContain('"passes": true');
});

test('a crash after the agent had deleted the folder loses no story', async () => {
  await ignoredProject([
    { when: { iteration: 1 }, do: [shell('rm -rf ralph && touch "$HOME/there"'), { hang: true }] },
    { when: { mode: 'implement' }, do: [write('new.txt', 'x\n'), READY] },
    { when: { mode: 'review' }, do: [APPROVED] },
  ]);
  await killedAt('there');
  expect(existsSync(`${project.root}/ralph/tasks.json`)).toBe(false);
  const { code, stdout, stderr } = await project.run();
  expect(code, stdout + stderr).toBe(0);
  expect(await project.stories()).toMatchObject([{ id: 'US-001', passes: true }]);
});

test('work whose agent had ended when the loop was killed is judged by the backlog in the journal', async () => {
  await ignoredProject([
    { when: { mode: 'implement' }, do: [write('new.txt', 'x\n'), READY] },
    { when: { mode: 'review' }, do: [APPROVED] },
  ]);
  const cut = await project.run([], { RALPH_CRASHPOINT: 'agent-ended' });
  expect(cut.signal).toBe('SIGKILL');
  await rm(`${project.root}/ralph/progress.txt`, { force: true });
  const { code, stdout } = await project.run();
  expect(code, stdout).toBe(0);
  expect(stdout).toMatch(/recovered/);
  expect(await ledgerOf(project)).toMatchObject([
    { iteration: 1, verdict: 'accepted', mode: 'implement' },
    { iteration: 2, mode: 'review', state: 'approved' },
  ]);
});

const ONE = [
  { when: { mode: 'implement' }, do: [write('new.txt', 'x\n'), READY] },
  { when: { mode: 'review' }, do: [APPROVED] },
];

test("after the merge of a stream the person's copy says what is done", async () => {
  await ignoredProject(ONE);
  expect((await project.run(['--worktree'])).code).toBe(0);
  expect(await project.stories()).toMatchObject([{ passes: false }]);
  const { code, stdout, stderr } = await project.ralph(['stream', 'merge', 'repo']);
  expect(code, stdout + stderr).toBe(0);
  expect(await project.stories()).toMatchObject([{ passes: true, reviewStatus: 'approved' }]);
  expect(await project.read('ralph/progress.txt')).toContain('US-001');
  expect(await project.git('status', '--porcelain')).toBe('');
});

test('a copy that the person changed since stays, and the merge says where the other one is', async () => {
  await ignoredProject(ONE);
  expect((await project.run(['--worktree'])).code).toBe(0);
  expect((await project.ralph(['stories', 'edit', 'US-001', '--title', 'Mine'])).code).toBe(0);
  const { code, stdout, stderr } = await project.ralph(['stream', 'merge', 'repo']);
  expect(code, stdout + stderr).toBe(0);
  expect(await project.stories()).toMatchObject([{ title: 'Mine', passes: false }]);
  expect(stdout).toContain('git show refs/ralph/spec:ralph/tasks.json');
});
