// @module-tag long
import { execFileSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { afterEach, expect, test } from 'vitest';
import { makeProject, type Project } from '../support/project.ts';

let project: Project;
afterEach(() => project?.remove());

type Files = Readonly<Record<string, string>>;

async function commit(message: string, files: Files): Promise<void> {
  for (const [path, text] of Object.entries(files)) await project.write(path, text);
  await project.git('add', '-A');
  await project.git('commit', '-q', '-m', message);
}

async function mine(args: readonly string[], env: Files = {}) {
  const ended = await project.ralph(['lab', 'mine', '--json', '--repeat', '2', ...args], env);
  return { ...ended, ...(JSON.parse(ended.stdout || '{}') as Mined) };
}

interface Mined {
  readonly tasks: readonly { readonly story: Story; readonly tests: readonly string[]; readonly checks: object }[];
  readonly dropped: readonly { readonly title: string; readonly reason: string; readonly detail: string | null }[];
}
interface Story {
  readonly title: string;
  readonly acceptanceCriteria: readonly string[];
}

const titles = ({ tasks }: Mined) => tasks.map(({ story }) => story.title).sort();
const reasons = ({ dropped }: Mined) => Object.fromEntries(dropped.map(({ title, reason }) => [title, reason]));

const jsTest = (name: string, body: string) =>
  `import test from 'node:test';\nimport assert from 'node:assert';\nimport * as code from '../src/${name}.js';\ntest('${name}', () => { ${body} });\n`;
const both = (name: string, body = `assert.equal(code.${name}(), '${name}');`) => ({
  [`src/${name}.js`]: `export function ${name}() { return '${name}'; }\n`,
  [`test/${name}.test.js`]: jsTest(name, body),
});
const MANIFEST = { 'package.json': '{ "type": "module" }\n' };
const NODE = ['--check', 'node --test'];

test('a JavaScript history: each commit is a task or is dropped for its reason', async () => {
  project = await makeProject({ files: { ...MANIFEST, ...both('one') } });
  await commit('feat: add two (#2)', both('two'));
  await commit('tests only', { 'test/more.test.js': jsTest('two', 'assert.ok(code.two());') });
  await commit('code only', { 'src/three.js': 'export const three = 3;\n' });
  await commit('words only', { 'README.md': '# words\n', 'test/README.md': 'words\n' });
  await commit('green before', { 'src/four.js': '\n', 'test/four.test.js': jsTest('three', 'assert.ok(code.three);') });
  await commit('red after', both('five', 'assert.fail();'));
  await commit('no longer red', { 'test/five.test.js': jsTest('five', 'assert.ok(code.five());') });
  await commit('red now and then', {
    ...both('six', "if (fs.readFileSync(file, 'utf8').length > 1) assert.fail(code.six());"),
    'test/six.test.js': `import fs from 'node:fs';\nconst file = process.env.HOME + '/runs';\nfs.appendFileSync(file, '.');\n${jsTest('six', "if (fs.readFileSync(file, 'utf8').length > 1) assert.fail(code.six());")}`,
  });
  await commit('six is calm', { 'test/six.test.js': jsTest('six', 'assert.ok(code.six());') });
  await commit('cannot be set up', { ...both('seven'), 'package.json': '{ "type": "module", "broken": true }\n' });
  await commit('can be set up', MANIFEST);
  await project.git('switch', '-q', '-c', 'side', 'HEAD~2');
  await commit('aside', both('eight'));
  await project.git('switch', '-q', 'main');
  await project.git('merge', '-q', '--no-ff', '-m', 'merged', 'side');
  await project.write('ralph.config.json', JSON.stringify({ checks: { setup: ['! grep broken package.json'] } }));
  const mined = await mine([...NODE, '--parallel', '2']);
  expect(mined.code, mined.stderr).toBe(0);
  expect(titles(mined)).toEqual(['aside', 'feat: add two']);
  expect(reasons(mined)).toEqual({
    merged: 'merge',
    start: 'first commit',
    'tests only': 'no code',
    'code only': 'no tests',
    'words only': 'no tests',
    'can be set up': 'no tests',
    'green before': 'passes before',
    'red after': 'fails after',
    'no longer red': 'no code',
    'red now and then': 'flaky',
    'six is calm': 'no code',
    'cannot be set up': 'set-up failed',
  });
  const two = mined.tasks.find(({ story }) => story.title.endsWith('two'));
  expect(two).toMatchObject({
    tests: ['test/two.test.js'],
    files: ['src/two.js'],
    size: { files: 1, added: 1, removed: 0 },
    checks: [{ command: 'node --test', greenBefore: true, passed: 1, names: ['two'] }],
  });
  expect(two?.story.acceptanceCriteria[1]).toContain('`two`, `src/two.js`');
  expect(await project.git('status', '--porcelain')).toBe('?? ralph.config.json');
  expect(await project.git('worktree', 'list')).not.toContain('\n');
});

test('a search that was killed goes on where it was, and keeps what a person edited', async () => {
  project = await makeProject({ files: { ...MANIFEST, ...both('one') } });
  for (const name of ['two', 'three', 'four']) await commit(`add ${name}`, both(name));
  const killed = await project.ralph(['lab', 'mine', '--repeat', '1', ...NODE], { RALPH_CRASHPOINT: 'lab-judged#2' });
  expect(killed.signal).toBe('SIGKILL');
  const file = `${project.root}/.git/ralph/lab/tasks.json`;
  const text = await readFile(file, 'utf8');
  await writeFile(file, text.replace('"add four"', '"Add the number four"'));
  const mined = await mine(['--repeat', '1', ...NODE]);
  expect(mined.code, mined.stderr).toBe(0);
  expect(titles(mined)).toEqual(['Add the number four', 'add three', 'add two']);
  expect(mined.stderr.trim().split('\n')).toEqual([
    '1 of 4 commits changed code and tests; each is tried in a clean room',
    expect.stringMatching(/^\[1\/1\] \w{12} add two: a task$/),
  ]);
  const again = await project.ralph(['lab', 'mine', 'HEAD~2..']);
  expect(again).toMatchObject({ code: 0, stderr: '' });
  expect(again.stdout).toContain('2 tasks in 2 commits');
  expect(again.stdout).toContain('next: ralph lab run');
});

test('Ctrl-C ends it, and says that the same command goes on', async () => {
  project = await makeProject({ files: { ...MANIFEST, ...both('one') } });
  await commit('add two', both('two'));
  const { child, ended } = project.start(['lab', 'mine', '--check', 'sleep 60']);
  child.stderr?.once('data', () => setTimeout(() => child.kill('SIGINT'), 500));
  const { code, stdout } = await ended;
  expect(code).toBe(130);
  expect(stdout).toContain('1 not tried yet: the same command continues');
});

test('a range that names no commits, and one without a task, are told apart', async () => {
  project = await makeProject();
  const wrong = await project.ralph(['lab', 'mine', 'no-such..HEAD']);
  expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining("'no-such..HEAD' names no commits") });
  expect(await project.ralph(['lab', 'mine'])).toMatchObject({
    code: 1,
    stdout: expect.stringContaining('0 tasks in 1 commit\n  1 dropped: first commit'),
  });
});

test('a Python history, judged by the standard library alone', async () => {
  project = await makeProject({ files: { 'shop/__init__.py': '', 'tests/__init__.py': '' } });
  await commit('Sum up', {
    'shop/till.py': 'def total(prices):\n    return sum(prices)\n',
    'tests/test_till.py':
      'import unittest\nfrom shop.till import total\n\n\nclass TillTest(unittest.TestCase):\n    def test_total(self):\n        self.assertEqual(total([1, 2]), 3)\n',
  });
  const mined = await mine(['--check', 'python3 -m unittest -v']);
  expect(mined.code, mined.stderr).toBe(0);
  expect(mined.tasks[0]).toMatchObject({ story: { title: 'Sum up' }, tests: ['tests/test_till.py'] });
  expect(mined.tasks[0]?.story.acceptanceCriteria[1]).toContain('`total`');
});

test('a history of shell scripts, whose checks its Makefile names', async () => {
  project = await makeProject({
    files: { Makefile: '.PHONY: test\ntest:\n\tsh test/all.sh\n', 'test/all.sh': 'exit 0\n' },
  });
  await commit('Greet', { 'greet.sh': 'echo hello\n', 'test/all.sh': 'test "$(sh greet.sh)" = hello\n' });
  const mined = await mine([]);
  expect(mined.code, mined.stderr).toBe(0);
  expect(mined.tasks[0]?.checks).toEqual([{ command: 'make test', greenBefore: true }]);
});

const hasGo = (() => {
  try {
    return execFileSync('go', ['version'], { stdio: 'pipe' }).length > 0;
  } catch {
    return false;
  }
})();

test.skipIf(!hasGo)('a Go history, whose tests lie beside the code', async () => {
  project = await makeProject({
    files: { 'go.mod': 'module example.org/shop\n\ngo 1.18\n', 'shop.go': 'package shop\n' },
  });
  await commit('Give change', {
    'change.go': 'package shop\n\nfunc Change(paid, price int) int { return paid - price }\n',
    'change_test.go':
      'package shop\n\nimport "testing"\n\nfunc TestChange(t *testing.T) {\n\tif Change(5, 3) != 2 {\n\t\tt.Fail()\n\t}\n}\n',
  });
  const mined = await mine(['--check', 'go test ./...']);
  expect(mined.code, mined.stderr).toBe(0);
  expect(mined.tasks[0]).toMatchObject({ tests: ['change_test.go'], files: ['change.go'] });
});
