import { mkdir, readdir, readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { wholeStory } from '../../../../test/support/tasks.ts';
import { loadBacklog } from '../../../rules/backlog/index.ts';
import { detectChecks } from '../config/detect-checks.ts';
import { findWorkspace } from '../layout.ts';
import { messageOf, tempTree } from '../temp-tree.fixture.ts';
import { scaffold } from './scaffold.ts';

const NOW = { now: () => Date.UTC(2026, 10, 21, 23, 30, 15), sleep: async () => {} };
const read = (root: string, path: string) => readFile(join(root, path), 'utf8');

test('a new spec folder is found afterwards and its backlog can be read', async () => {
  const root = await tempTree({ 'package.json': '{"scripts":{"test":"vitest run","lint":"biome check"}}' });
  const made = await scaffold({ root, layout: 'ralph', force: false });
  expect(made).toEqual({
    specDir: 'ralph',
    created: ['ralph/prd.md', 'ralph/tasks.json', 'ralph/progress.txt', 'ralph/prompt.md', '.ralph/.gitignore'],
    kept: [],
    backups: [],
    checks: ['npm run lint', 'npm test'],
  });
  const workspace = await findWorkspace({ root, cwd: root, flags: {}, env: {} });
  expect(workspace).toMatchObject({ kind: 'ralph', backlog: { path: 'ralph/tasks.json', format: 'tasks-json' } });
  const backlog = JSON.parse(await read(root, 'ralph/tasks.json')) as Record<string, unknown>;
  expect(backlog).toMatchObject({ verifyCommands: ['npm run lint', 'npm test'], userStories: [] });
  expect(backlog['branchName']).toMatch(/^ralph\/[a-z0-9-]+$/);
});

test('a scaffolded backlog with one story added is without problems', async () => {
  const root = await tempTree();
  await scaffold({ root, layout: 'ralph', force: false });
  const backlog = JSON.parse(await read(root, 'ralph/tasks.json')) as { userStories: unknown[] };
  backlog.userStories.push(wholeStory({ id: 'US-001' }));
  const bytes = new TextEncoder().encode(JSON.stringify(backlog));
  const { document, problems } = loadBacklog({
    format: 'tasks-json',
    file: 'ralph/tasks.json',
    bytes,
    reviewsFile: 'ralph/reviews.json',
    reviewsBytes: null,
  });
  expect(problems).toEqual([]);
  expect(document?.backlog.stories).toHaveLength(1);
});

test('the numbered layout goes to .ralph/PRD-N and keeps its log in progress.md', async () => {
  const root = await tempTree();
  const { created } = await scaffold({ root, layout: 'prd', prd: 4, name: 'login', force: false });
  expect(created).toEqual([
    '.ralph/PRD-4/prd.md',
    '.ralph/PRD-4/tasks.json',
    '.ralph/PRD-4/progress.md',
    '.ralph/PRD-4/prompt.md',
    '.ralph/.gitignore',
  ]);
  expect(JSON.parse(await read(root, '.ralph/PRD-4/tasks.json'))).toMatchObject({ branchName: 'ralph/login' });
});

test('nothing that is there is overwritten', async () => {
  const root = await tempTree({ 'ralph/prd.md': 'mine', 'ralph/PROMPT.md': 'mine too' });
  const { created, kept } = await scaffold({ root, layout: 'ralph', force: false });
  expect(kept).toEqual(['ralph/prd.md', 'ralph/PROMPT.md']);
  expect(created).not.toContain('ralph/prompt.md');
  expect(await read(root, 'ralph/prd.md')).toBe('mine');
  const again = await scaffold({ root, layout: 'ralph', force: false });
  expect(again.created).toEqual([]);
});

test('force keeps a backup of each file it replaces', async () => {
  const root = await tempTree({ 'ralph/prd.md': 'mine' });
  const { created, backups } = await scaffold({ root, layout: 'ralph', force: true, clock: NOW });
  expect(created).toContain('ralph/prd.md');
  expect(backups).toEqual(['ralph/prd.md.bak-20261121T233015']);
  const again = await scaffold({ root, layout: 'ralph', force: true, clock: NOW });
  expect(again.backups).toContain('ralph/prd.md.bak-20261121T233015-2');
  expect(await read(root, 'ralph/prd.md.bak-20261121T233015')).toBe('mine');
});

test.each([false, true])(
  'another form of backlog is kept and not shadowed by a tasks.json (force: %s)',
  async (force) => {
    const root = await tempTree({ 'ralph/plan.md': '- [ ] US-001: x\n' });
    const { kept } = await scaffold({ root, layout: 'ralph', force });
    expect(kept).toContain('ralph/plan.md');
    expect(await readdir(join(root, 'ralph'))).not.toContain('tasks.json');
  },
);

test.each(['../x', 'a b', '-x', 'a..b', 'x.lock', 'a/', '', 'ü'])(
  'the name %j is refused with one that would do',
  async (name) => {
    expect(await messageOf(scaffold({ root: await tempTree(), layout: 'ralph', name, force: false }))).toContain(
      `Error: '${name}' cannot be part of a branch name`,
    );
  },
);

test('the templates shipped are those the program writes', async () => {
  const root = await tempTree();
  const project = join(root, '{{PROJECT_NAME}}');
  await mkdir(project);
  await scaffold({ root: project, layout: 'ralph', force: false });
  const template = (name: string) => readFile(new URL(`../../../../templates/${name}`, import.meta.url), 'utf8');
  expect(await read(project, 'ralph/progress.txt')).toBe(await template('progress.txt'));
  expect(await read(project, 'ralph/prd.md')).toBe(await template('prd.md'));
  expect(await read(project, 'ralph/prompt.md')).toBe(await template('prompt.md'));
});

test.each<[string, Record<string, string>, readonly string[]]>([
  ['nothing known', { 'README.md': '' }, []],
  [
    'npm',
    { 'package.json': '{"scripts":{"test":"x","lint":"y","type-check":"z","build":"b"}}' },
    ['npm run type-check', 'npm run lint', 'npm test'],
  ],
  ["npm's placeholder", { 'package.json': '{"scripts":{"test":"echo \\"Error: no test specified\\" && exit 1"}}' }, []],
  ['pnpm', { 'package.json': '{"scripts":{"test":"x"}}', 'pnpm-lock.yaml': '' }, ['pnpm test']],
  ['bun', { 'package.json': '{"scripts":{"test":"x"}}', 'bun.lock': '' }, ['bun run test']],
  ['a broken package.json', { 'package.json': '{"scripts":' }, []],
  ['pytest', { 'pyproject.toml': '[tool.pytest.ini_options]\n' }, ['pytest']],
  ['pytest under uv', { 'pyproject.toml': 'dev = ["pytest"]', 'uv.lock': '' }, ['uv run pytest']],
  ['go', { 'go.mod': 'module x' }, ['go vet ./...', 'go test ./...']],
  ['cargo', { 'Cargo.toml': '' }, ['cargo test']],
  ['make', { Makefile: 'build:\n\ntest: build\n\t./t\n' }, ['make test']],
  ['make before what the language suggests', { Makefile: 'test:\n', 'go.mod': '' }, ['make test']],
  [
    'parts, when the root has nothing',
    { 'api/go.mod': '', 'web/package.json': '{"scripts":{"test":"x"}}' },
    ['cd api && go vet ./...', 'cd api && go test ./...', 'cd web && npm test'],
  ],
])('checks of a project with %s', async (_title, files, checks) => {
  expect(await detectChecks(await tempTree(files))).toEqual(checks);
});

test('where the root has nothing, the folder in which the person stands says more than the others', async () => {
  const root = await tempTree({ 'a/go.mod': '', 'b/Cargo.toml': '', 'b/src/lib.rs': '' });
  expect(await detectChecks(root, join(root, 'b/src'))).toEqual(['cd b && cargo test']);
});

test('a file that is a link out of the project is not read', async () => {
  const outside = await tempTree({ 'package.json': '{"scripts":{"test":"x"}}' });
  const root = await tempTree();
  await symlink(join(outside, 'package.json'), join(root, 'package.json'));
  expect(await detectChecks(root)).toEqual([]);
});

test('PRDs beside each other get a branch each', async () => {
  const root = await tempTree({});
  for (const prd of [1, 2]) await scaffold({ root, layout: 'prd', prd, force: false });
  const branches = await Promise.all([1, 2].map((prd) => read(root, `.ralph/PRD-${prd}/tasks.json`)));
  expect(branches.map((text) => JSON.parse(text).branchName)).toEqual(['ralph/prd-1', 'ralph/prd-2']);
});
