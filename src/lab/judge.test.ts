import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freshRepository, makeRepository, type Repository } from '../../test/support/command-repository.ts';
import { type Git, openGit } from '../adapters/git/index.ts';
import { defaultConfig, workspaceAt } from '../adapters/workspace/index.ts';
import { checksOnly } from '../commands/shared/turn-ports.ts';
import { makeTempDir, remove } from '../platform/index.ts';
import type { LabTask } from '../rules/lab/index.ts';
import { memoryIo } from '../surfaces/terminal/io.fixture.ts';
import { type Judge, judgeTree, openJudge } from './judge.ts';
import { mine } from './mine.ts';
import { readTasks } from './store.ts';

const MANIFEST = JSON.stringify({ type: 'module', scripts: { test: 'node --test' } });
const testOf = (name: string, result: number) =>
  `import test from 'node:test';\nimport assert from 'node:assert';\nimport { ${name} } from '../src/sums.js';\ntest('${name}', () => assert.equal(${name}(2, 3), ${result}));\n`;
const ADD = 'export const add = (a, b) => a + b;\n';
const BEFORE = { 'package.json': MANIFEST, 'src/sums.js': ADD, 'test/add.test.js': testOf('add', 5) };
const SOLUTION = `${ADD}export const multiply = (a, b) => a * b;\n`;

let home: string;
let history: Repository;
let source: Git;
let attempt: Repository;
let judge: Judge;
let task: LabTask;

async function judgeOf(git: Git) {
  const io = memoryIo({ cwd: git.repo.root, env: { PATH: process.env['PATH'], HOME: home } });
  const config = defaultConfig({ RALPH_ISOLATION_BACKEND: 'none' });
  const workspace = await workspaceAt(git.repo.root, '.ralph/lab');
  return {
    git,
    workspace,
    config,
    env: io.env,
    signal: new AbortController().signal,
    room: (at: string) => checksOnly(io, at),
  };
}

beforeAll(async () => {
  home = await makeTempDir('ralph-lab-');
  history = await makeRepository(BEFORE);
  await history.write('src/sums.js', SOLUTION);
  await history.write('test/multiply.test.js', testOf('multiply', 6));
  await history.git('add', '-A');
  await history.git('commit', '-q', '-m', 'Multiply');
  source = await openGit(history.root, {});
  const { room, ...input } = await judgeOf(source);
  const asked = {
    range: 'HEAD~1..',
    most: 9,
    repeat: 1,
    parallel: 1,
    checks: ['npm test'],
    again: false,
    tell: () => {},
  };
  const { tasks } = await mine({ ...input, ...asked, openRun: (lane) => room(`lab-${lane}`) });
  expect(tasks).toHaveLength(1);
  task = tasks[0] as LabTask;
  // A repository that has the tree before, and no later object.
  attempt = await makeRepository(BEFORE);
  const { room: open, ...there } = await judgeOf(await openGit(attempt.root, {}));
  judge = await openJudge({ ...there, openRun: open('lab-judge') });
});
afterAll(async () => {
  await judge?.close();
  await Promise.all([history, attempt].map((one) => one?.remove()));
  if (home) await remove(home);
});

/** Judges a work tree with these files in place of those before. */
async function judged(files: Readonly<Record<string, string | null>>) {
  const tree = await judge.git.treeWith('HEAD', files);
  const { hiddenPassed, broke, reason } = await judgeTree(judge, task, tree, source);
  return { hiddenPassed, broke, reason };
}

const SOLVED = { hiddenPassed: true, broke: [], reason: 'the hidden tests pass' };
const unsolved = (how = 'fails', broke: readonly string[] = []) => ({
  hiddenPassed: false,
  broke,
  reason: `\`npm test\` ${how} with the hidden tests`,
});

test('work that does what the commit did solves its task, with tests of its own or without', async () => {
  expect(await judged({ 'src/sums.js': SOLUTION })).toEqual(SOLVED);
  expect(await judged({ 'src/sums.js': SOLUTION, 'test/own.test.js': testOf('add', 99) })).toEqual(SOLVED);
});

test.each([
  ['nothing', {}, unsolved()],
  ['half of it', { 'src/sums.js': `${ADD}export const multiply = (a) => a;\n` }, unsolved()],
  [
    'the opposite of what worked',
    { 'src/sums.js': SOLUTION.replace('a + b', 'a - b') },
    unsolved('fails', ['npm test']),
  ],
  [
    'a deleted test',
    { 'test/add.test.js': null, 'src/sums.js': 'export const add = 1, multiply = () => 6;' },
    unsolved('fails', ['npm test']),
  ],
  ['a script without tests', { 'package.json': MANIFEST.replace('node --test', 'true') }, unsolved()],
  [
    'an end before the tests',
    { 'src/sums.js': 'process.exit(0); export const add = 1, multiply = 1;' },
    unsolved('runs fewer tests than it should'),
  ],
])('%s solves nothing', async (_, files, expected) => expect(await judged(files)).toEqual(expected));

test('the future cannot be read by the work that is judged', async () => {
  const ahead = `import { execFileSync } from 'node:child_process';\nconst text = execFileSync('git', ['show', '${task.commit}:src/sums.js'], { encoding: 'utf8' });\nexport const { add, multiply } = await import('data:text/javascript,' + encodeURIComponent(text));\n`;
  expect(await judged({ 'src/sums.js': ahead })).toEqual(unsolved('fails', ['npm test']));
});

test('the tasks of a lab are read back, and a wrong edit is named', async () => {
  const folder = `${source.repo.commonDir}/ralph/lab`;
  expect((await readTasks(folder)).tasks).toEqual([task]);
  const other = await freshRepository();
  const path = `${other.root}/lab/tasks.json`;
  await mkdir(dirname(path));
  await writeFile(path, JSON.stringify({ tasks: [{ ...task, story: { title: 1 } }], dropped: [] }));
  await expect(readTasks(`${other.root}/lab`)).rejects.toThrow('the tasks of the lab cannot be read');
});
