// @module-tag long
import { existsSync, readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { findProgram, needs } from '../support/debian.ts';
import { makeProject, type Project } from '../support/project.ts';
import { until } from '../support/until.ts';

/** Commits of a history: files by path; the first is the start. */
type History = readonly Readonly<Record<string, string>>[];

const jsTest = (name: string, body: string) =>
  `import assert from 'node:assert';\nimport test from 'node:test';\nimport { ${name} } from '../src/${name}.js';\ntest('${name}', () => ${body});\n`;

const JAVASCRIPT: History = [
  {
    'package.json': '{ "type": "module", "scripts": { "test": "node --test" } }\n',
    'src/add.js': 'export const add = (a, b) => a - b;\n',
    'src/sub.js': 'export const sub = (a, b) => a - b;\n',
    'test/sub.test.js': jsTest('sub', 'assert.equal(sub(3, 2), 1)'),
  },
  {
    'src/add.js': '// Adds.\nexport const add = (a, b) => a + b;\n',
    'test/add.test.js': jsTest('add', 'assert.equal(add(3, 2), 5)'),
  },
];

const PYTHON: History = [
  {
    'shop/__init__.py': '',
    'shop/add.py': 'def add(a, b):\n    return a - b\n',
    'test_add.py':
      'import unittest\nfrom shop.add import add\n\n\nclass Add(unittest.TestCase):\n    def test_nothing(self):\n        self.assertEqual(add(0, 0), 0)\n',
  },
  {
    'shop/add.py': '"""Sums."""\n\n\ndef add(a, b):\n    return a + b\n',
    'test_add.py':
      'import unittest\nfrom shop.add import add\n\n\nclass Add(unittest.TestCase):\n    def test_nothing(self):\n        self.assertEqual(add(0, 0), 0)\n\n    def test_sum(self):\n        self.assertEqual(add(3, 2), 5)\n',
  },
];

const goTest = (a: number, sum: number) =>
  `package shop\n\nimport "testing"\n\nfunc TestAdd(t *testing.T) {\n\tif Add(${a}, 0) != ${sum} || Add(0, ${a}) != ${sum} {\n\t\tt.Fatal("wrong")\n\t}\n}\n`;
const GO: History = [
  {
    'go.mod': 'module example.org/shop\n\ngo 1.19\n',
    'add.go': 'package shop\n\nfunc Add(a, b int) int { return a - b }\n',
    'add_test.go': goTest(0, 0),
  },
  {
    'add.go': '// Package shop sells.\npackage shop\n\n// Add adds.\nfunc Add(a, b int) int { return a + b }\n',
    'add_test.go': goTest(2, 2),
  },
];

const projects: Project[] = [];
afterEach(async () => {
  await Promise.all(projects.splice(0).map((project) => project.remove()));
});

/** A history, and its tasks. */
async function withTasks(history: History, command: string): Promise<Project> {
  const project = await makeProject({ files: history[0] ?? {} });
  projects.push(project);
  const tasks: object[] = [];
  for (const [at, files] of history.slice(1).entries()) {
    for (const [path, text] of Object.entries(files)) await project.write(path, text);
    await project.git('add', '-A');
    await project.git('commit', '-q', '-m', `Make sums right ${at}`);
    const [commit = '', parent = '', after = '', before = ''] = (
      await project.git('rev-parse', 'HEAD', 'HEAD~1', 'HEAD^{tree}', 'HEAD~1^{tree}')
    ).split('\n');
    const [tests, code] = [true, false].map((isTest) =>
      Object.keys(files).filter((path) => /test/.test(path) === isTest),
    );
    tasks.push({
      ...{ id: commit.slice(0, 12), commit, parent, before, after, tests, files: code },
      story: { title: 'Make sums right', description: 'They are differences.', acceptanceCriteria: [] },
      size: { files: 1, added: 2, removed: 1 },
      checks: [{ command, greenBefore: true }],
      canFail: true,
      ...{ judgeSeconds: 1, minedAt: '2026-01-01T00:00:00.000Z' },
    });
  }
  await project.write('.git/ralph/lab/tasks.json', JSON.stringify({ tasks, dropped: [] }));
  return project;
}

interface Result {
  readonly arm: { readonly model: string };
  readonly repeat: number;
  readonly outcome: string;
  readonly folder: string;
}

async function resultsOf({ root }: Project): Promise<readonly Result[]> {
  const text = await readFile(`${root}/.git/ralph/lab/results.jsonl`, 'utf8').catch(() => '');
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}

/** Outcome by kind of scripted agent. */
async function ranked(project: Project, kinds: readonly string[], flags: readonly string[]) {
  const agents = kinds.map((kind) => `scripted:${kind}`).join();
  const ended = await project.ralph(['lab', 'run', '--agents', agents, ...flags]);
  const results = await resultsOf(project);
  return { ...ended, results, by: Object.fromEntries(results.map(({ arm, outcome }) => [arm.model, outcome])) };
}

const CHEATERS = ['special-cases', 'deletes-tests'];
const ZERO = { careless: 'unsolved', 'special-cases': 'unsolved', 'deletes-tests': 'unsolved' };

describe.each([
  { language: 'JavaScript', history: JAVASCRIPT, command: 'npm test', program: 'node' },
  { language: 'Python', history: PYTHON, command: 'python3 -m unittest', program: 'python3' },
  { language: 'Go', history: GO, command: 'go test ./...', program: 'go' },
])('$language', ({ language, history, command, program }) => {
  test.skipIf(language !== 'JavaScript' && findProgram(program) === null)(
    'only the perfect agent solves a task; careless and cheating ones are at zero',
    async () => {
      const project = await withTasks(history, command);
      const before = await project.git('count-objects', '-v');
      const { code, stderr, stdout, by, results } = await ranked(
        project,
        ['perfect', 'careless', ...CHEATERS],
        ['--review', 'off', '--parallel', '2'],
      );
      expect({ code, by }, stdout + stderr).toEqual({ code: 0, by: { perfect: 'solved', ...ZERO } });
      const perfect = results.find(({ outcome }) => outcome === 'solved');
      expect(perfect).toMatchObject({ hiddenPassed: true, broke: [], iterations: 1, tokens: 1100, costUsd: 0.05 });
      const folder = `${project.root}/.git/ralph/lab/${perfect?.folder}`;
      expect(readdirSync(folder).sort()).toEqual(['judge.json', 'runs', 'work.patch']);
      // Nothing of the attempts is left in the person's repository.
      expect(await project.git('status', '--porcelain')).toBe('');
      expect(await project.git('count-objects', '-v')).toBe(before);
      expect(await project.git('for-each-ref', '--format=%(refname)')).toBe('refs/heads/main');
      expect(stdout).toContain('Next: ralph lab report');
    },
  );
});

const missing = await needs('bwrap');

test.skipIf(missing)(
  'inside an isolation the future of a task cannot be found; without one it can',
  { tags: ['promise'] },
  async () => {
    const project = await withTasks(JAVASCRIPT, 'npm test');
    const inside = await ranked(project, ['reads-ahead'], ['--sandbox=bwrap']);
    expect([inside.code, inside.by], inside.stdout + inside.stderr).toEqual([0, { 'reads-ahead': 'unsolved' }]);
    const patch = await readFile(`${project.root}/.git/ralph/lab/${inside.results[0]?.folder}/work.patch`, 'utf8');
    expect(patch).toContain('+found: nothing');
    const again = ['lab', 'run', '--agents', 'scripted:reads-ahead', '--repeat', '2', '--no-sandbox'];
    const { code, stderr } = await project.ralph(again);
    expect([code, stderr]).toEqual([0, expect.stringContaining('without isolation an agent can find the commits')]);
    expect((await resultsOf(project)).map(({ outcome, repeat }) => [repeat, outcome])).toEqual([
      [1, 'unsolved'],
      [2, 'solved'],
    ]);
  },
);

test('a lab that is killed goes on: nothing is lost, nothing counts twice, and nothing is left over', async () => {
  const project = await withTasks(JAVASCRIPT, 'npm test');
  const command = ['lab', 'run', '--agents', 'scripted:perfect,scripted:careless', '--repeat', '2'];
  const plan = await project.ralph([...command, '--dry-run', '--json']);
  expect(JSON.parse(plan.stdout).attempts.map(({ arm, repeat }: Record<string, unknown>) => [arm, repeat])).toEqual([
    ['scripted:perfect', 1],
    ['scripted:careless', 1],
    ['scripted:careless', 2],
    ['scripted:perfect', 2],
  ]);
  const killed = project.start(command);
  const lab = `${project.root}/.git/ralph/lab`;
  await until(
    async () => existsSync(`${lab}/results.jsonl`) && readdirSync(`${lab}/attempts`, { recursive: true }).length > 8,
  );
  killed.child.kill('SIGKILL');
  await killed.ended;
  const first = await resultsOf(project);
  expect(first.length).toBeLessThan(4);
  const ended = await project.ralph(command);
  expect(ended.code, ended.stdout + ended.stderr).toBe(0);
  const results = await resultsOf(project);
  expect(results.slice(0, first.length)).toEqual(first);
  expect(results.map(({ arm, repeat, outcome }) => `${arm.model} ${repeat} ${outcome}`).sort()).toEqual([
    'careless 1 unsolved',
    'careless 2 unsolved',
    'perfect 1 solved',
    'perfect 2 solved',
  ]);
  const trees = `${project.outside}/.cache/ralph/lab`;
  expect(readdirSync(trees).flatMap((repository) => readdirSync(`${trees}/${repository}`))).toEqual([]);
  expect((await project.ralph([...command, '--dry-run'])).stdout).toMatch(
    /^1 task, 2 arms, 2 times each: 0 attempts left of 4/,
  );
});

test('two machines share a lab: one report counts the results of both', async () => {
  const more = {
    'src/mul.js': '// Multiplies.\nexport const mul = (a, b) => a * b;\n',
    'test/mul.test.js': jsTest('mul', 'assert.equal(mul(3, 2), 6)'),
  };
  const machines = [await withTasks([...JAVASCRIPT, more], 'npm test'), await makeProject()] as const;
  const [first, second] = machines;
  projects.push(second);
  await second.git('fetch', '-q', first.root, 'main');
  const stored = await first.read('.git/ralph/lab/tasks.json');
  await second.write('.git/ralph/lab/tasks.json', stored);
  const ids: readonly string[] = JSON.parse(stored).tasks.map(({ id }: { id: string }) => id);
  const command = ['lab', 'run', '--agents', 'scripted:perfect,scripted:careless', '--review', 'off', '--tasks'];
  const ran = await Promise.all(machines.map((machine, at) => machine.ralph([...command, ids[at] ?? ''])));
  expect(
    ran.map(({ code }) => code),
    ran.map(({ stderr }) => stderr).join(),
  ).toEqual([0, 0]);
  const results = '.git/ralph/lab/results.jsonl';
  await first.write(results, (await first.read(results)) + (await second.read(results)));
  const report = JSON.parse((await first.ralph(['lab', 'report', '--json'])).stdout);
  expect(report.arms.map(({ solved, tasks }: Record<string, unknown>) => [solved, tasks])).toEqual([
    [2, 2],
    [0, 2],
  ]);
  expect((await first.ralph([...command, ids.join(), '--dry-run'])).stdout).toContain('0 attempts left of 4');
});

test('a limit of the provider says nothing of an arm; the budget ends the lab before the next attempt', async () => {
  const project = await withTasks(JAVASCRIPT, 'npm test');
  const limited = await project.ralph(['lab', 'run', '--agents', 'scripted:limited', '--repeat', '2', '--json']);
  expect(limited.code).toBe(1);
  expect(await resultsOf(project)).toMatchObject([{ outcome: 'error', hiddenPassed: null, repeat: 1 }]);
  const costly = [
    'lab',
    'run',
    '--agents',
    'scripted:perfect',
    '--repeat',
    '3',
    '--max-cost',
    '0.08',
    '--review',
    'off',
  ];
  const spent = await project.ralph(costly);
  expect([spent.code, spent.stdout]).toEqual([5, expect.stringContaining('--max-cost $0.08 is spent: 1 attempt left')]);
  expect((await project.ralph(costly)).code).toBe(5);
  expect((await resultsOf(project)).length).toBe(3);
});
