import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect } from 'vitest';
import { makeProject, type Project } from './project.ts';
import { listTree } from './tree-listing.ts';

/* Two finished PRDs in one repository, for the tests of one file: each test has a fresh one. */

export const DONE = { passes: true, reviewStatus: 'approved' };

export let project: Project;
beforeEach(async () => {
  project = await makeProject({
    backlog: backlogOf(1, DONE),
    files: { 'a.txt': 'one\ntwo\nthree\n', 'b.txt': 'b\n', '.ralph/PRD-2/tasks.json': backlogOf(2, DONE).text },
  });
});
afterEach(() => project.remove());

export function backlogOf(prd: number, fields: object, verifyCommands: readonly string[] = []) {
  const story = { id: `US-00${prd}`, title: 'a story', priority: 1, acceptanceCriteria: ['it works'], ...fields };
  const tasks = {
    project: 'test',
    branchName: `ralph/prd-${prd}`,
    description: '',
    verifyCommands,
    userStories: [story],
  };
  return { path: `.ralph/PRD-${prd}/tasks.json`, text: `${JSON.stringify(tasks, null, 2)}\n` };
}

/** A commit on the branch of a stream; the checkout stands on main again afterwards. */
export async function work(prd: number, files: Readonly<Record<string, string>>, from = 'main'): Promise<string> {
  const branch = `ralph/prd-${prd}`;
  const isThere = (await project.git('branch', '--list', branch)) !== '';
  await project.git('switch', '-q', ...(isThere ? [branch] : ['-c', branch, from]));
  for (const [path, text] of Object.entries(files)) await project.write(path, text);
  await project.git('add', '-A');
  await project.git('commit', '-q', '-m', `work of ${prd}`);
  await project.git('switch', '-q', 'main');
  return project.git('rev-parse', branch);
}

export async function onMain(files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, text] of Object.entries(files)) await project.write(path, text);
  await project.git('add', '-A');
  await project.git('commit', '-q', '-m', 'by a person');
}

/** Checks of PRD-1, committed before anything branches off. */
export const checked = (...commands: readonly string[]) =>
  onMain({ '.ralph/PRD-1/tasks.json': backlogOf(1, DONE, commands).text });

/** Everything that a merge which does not happen must leave alone: files, index, refs, work trees. */
export async function everything(): Promise<object> {
  const files = await listTree(project.root, { without: ['.git', '.ralph/worktrees'] });
  const [index, refs, head, trees, status] = await Promise.all([
    project.git('ls-files', '--stage'),
    project.git('for-each-ref'),
    project.git('symbolic-ref', '-q', '--short', 'HEAD').catch(() => project.git('rev-parse', 'HEAD')),
    project.git('worktree', 'list', '--porcelain'),
    project.git('status', '--porcelain'),
  ]);
  return { files, index, refs, head, trees, status };
}

/** A merge of the branch as it is; `ralph finish` and a merge without it: finish.test.ts. */
export const MERGE = ['stream', 'merge', '--as-is'];

/** Does not merge: with that exit code, these words, and nothing changed. */
export async function refused(code: number, words: RegExp, ...args: readonly string[]): Promise<string> {
  const before = await everything();
  const { code: got, stdout, stderr } = await project.ralph([...MERGE, ...args]);
  expect([got, stdout + stderr]).toEqual([code, expect.stringMatching(words)]);
  expect(await everything()).toEqual(before);
  return stdout + stderr;
}

export async function merged(...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await project.ralph([...MERGE, ...args]);
  expect([code, stderr], stdout).toEqual([0, expect.anything()]);
  expect(await project.git('worktree', 'list', '--porcelain')).not.toContain('.merging');
  return stdout;
}

/** As checks see it: a file beside the project. */
export const MARK = '"$HOME/mark"';
export const GO = '"$HOME/go"';
export const marked = async () => (await readFile(join(project.outside, 'mark'))).length === 0;
