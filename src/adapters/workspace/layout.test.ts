import { symlink } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { findWorkspace } from './layout.ts';
import { messageOf, tempTree } from './temp-tree.fixture.ts';

const find = (root: string, input: Partial<Parameters<typeof findWorkspace>[0]> = {}) =>
  findWorkspace({ root, cwd: root, flags: {}, env: {}, ...input });

test('ralph/ is the default spec folder', async () => {
  const root = await tempTree({ 'ralph/tasks.json': '{}', '.ralph/PRD-1/tasks.json': '{}', 'PROMPT.md': '' });
  expect(await find(root)).toEqual({
    root,
    kind: 'ralph',
    specDir: 'ralph',
    prdNumber: null,
    name: basename(root)
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-'),
    backlog: { path: 'ralph/tasks.json', format: 'tasks-json' },
    prdPath: 'ralph/prd.md',
    progressPath: 'ralph/progress.txt',
    promptPath: 'ralph/prompt.md',
    reviewsPath: 'ralph/reviews.json',
  });
});

test('a folder ralph/ that holds something else is not taken for a spec folder', async () => {
  const root = await tempTree({ 'ralph/main.py': '', '.ralph/PRD-3/plan.md': '' });
  expect(await find(root)).toMatchObject({
    kind: 'prd',
    specDir: '.ralph/PRD-3',
    prdNumber: 3,
    name: 'prd-3',
    progressPath: '.ralph/PRD-3/progress.md',
  });
});

test('of several numbered folders PRD-1 is taken', async () => {
  const root = await tempTree({ '.ralph/PRD-1/plan.md': '', '.ralph/PRD-2/plan.md': '', '.ralph/PRD-10/plan.md': '' });
  expect((await find(root)).specDir).toBe('.ralph/PRD-1');
});

test('several numbered folders without PRD-1 are refused by name', async () => {
  const root = await tempTree({
    '.ralph/PRD-2/plan.md': '',
    '.ralph/PRD-10/plan.md': '',
    '.ralph/PRD-0/plan.md': '',
    '.ralph/PRD-x/plan.md': '',
  });
  expect(await messageOf(find(root))).toMatchInlineSnapshot(`
    "Error: several spec folders: PRD-2, PRD-10
      where: .ralph
      why:   without a PRD-1 ralph cannot choose one
      fix:   choose one: \`--prd 2\`"
  `);
});

test.each([
  [['tasks.json', 'prd.json', 'plan.md', 'fix_plan.md'], 'tasks.json', 'tasks-json'],
  [['prd.json', 'plan.md', 'fix_plan.md'], 'prd.json', 'prd-json'],
  [['plan.md', '@fix_plan.md'], 'plan.md', 'markdown'],
  [['@fix_plan.md'], '@fix_plan.md', 'markdown'],
  [['fix_plan.md'], 'fix_plan.md', 'markdown'],
] as const)('of %j the backlog is %s', async (names, path, format) => {
  const root = await tempTree(Object.fromEntries(names.map((name) => [`ralph/${name}`, ''])));
  expect((await find(root)).backlog).toEqual({ path: `ralph/${path}`, format });
});

test('two backlogs of equal precedence are refused by name', async () => {
  const root = await tempTree({ 'ralph/@fix_plan.md': '', 'ralph/fix_plan.md': '' });
  expect(await messageOf(find(root))).toMatchInlineSnapshot(`
    "Error: two backlogs of equal precedence: ralph/@fix_plan.md and ralph/fix_plan.md
      where: ralph
      fix:   keep one of them
      fix:   PLAN_PATH=ralph/@fix_plan.md chooses one"
  `);
  expect((await find(root, { env: { PLAN_PATH: 'ralph/fix_plan.md' } })).backlog?.path).toBe('ralph/fix_plan.md');
});

test('a lone PROMPT.md is the classic layout, with its checklist if there is one', async () => {
  const lone = await find(await tempTree({ 'PROMPT.md': '' }));
  expect(lone).toMatchObject({
    kind: 'classic',
    specDir: '.',
    promptPath: 'PROMPT.md',
    backlog: { path: 'PROMPT.md', format: 'prompt' },
  });
  const both = await find(await tempTree({ 'PROMPT.md': '', '@fix_plan.md': '', 'tasks.json': '{}' }));
  expect(both.kind).toBe('classic');
});

test('a spec folder may have no backlog yet', async () => {
  expect((await find(await tempTree({ 'ralph/prd.md': '' }))).backlog).toBeNull();
});

test('nothing found says what was looked for and what lies elsewhere', async () => {
  const root = await tempTree({ 'tasks.json': '{}', 'scripts/ralph/prd.json': '{}' });
  expect((await messageOf(find(root))).replace(root, '<root>')).toMatchInlineSnapshot(`
    "Error: there are no stories here yet
      where: <root>
      why:   neither ralph/ nor .ralph/PRD-N/ with a backlog or prd.md, nor a PROMPT.md, is here or above
      fix:   ralph init
      fix:   or for one task: ralph "Fix the login"
      fix:   or for a plan: ralph plan "what you want"
      fix:   tasks.json is not looked for where it is: \`--ralph-dir .\` works on it in place
      fix:   scripts/ralph/prd.json is not looked for where it is: \`--ralph-dir scripts/ralph\` works on it in place"
  `);
});

test('--ralph-dir names any folder of the work tree', async () => {
  const root = await tempTree({ 'scripts/ralph/prd.json': '{}', 'tasks.json': '{}', 'docs/': '' });
  expect(await find(root, { flags: { ralphDir: 'scripts/ralph' } })).toMatchObject({
    kind: 'ralph',
    specDir: 'scripts/ralph',
    backlog: { path: 'scripts/ralph/prd.json', format: 'prd-json' },
  });
  expect(await find(root, { flags: { ralphDir: '.' } })).toMatchObject({
    specDir: '.',
    prdPath: 'prd.md',
    backlog: { path: 'tasks.json' },
  });
  expect(await find(root, { cwd: join(root, 'docs'), flags: { ralphDir: '../scripts/ralph' } })).toMatchObject({
    specDir: 'scripts/ralph',
  });
  expect(await messageOf(find(root, { flags: { ralphDir: 'nowhere' } }))).toContain(
    "Error: the spec folder 'nowhere' does not exist",
  );
  expect(await messageOf(find(root, { flags: { ralphDir: 'tasks.json' } }))).toContain(
    "Error: the spec folder 'tasks.json' is not a folder",
  );
});

test('a spec folder outside the work tree is refused, also behind a link', async () => {
  const outside = await tempTree({ 'tasks.json': '{}' });
  const root = await tempTree({ 'a.txt': '' });
  await symlink(outside, join(root, 'linked'));
  for (const ralphDir of [outside, '..', 'linked']) {
    expect(await messageOf(find(root, { flags: { ralphDir } }))).toContain(
      'Error: the spec folder is outside the work tree',
    );
  }
});

test('the state folder itself cannot be the spec folder', async () => {
  const root = await tempTree({ '.ralph/fix_plan.md': '' });
  expect(await messageOf(find(root, { flags: { ralphDir: '.ralph' } }))).toContain(
    'Error: .ralph cannot be the spec folder',
  );
});

test('--prd takes positive whole numbers and nothing that could be a path', async () => {
  const root = await tempTree({ '.ralph/PRD-2/plan.md': '', '.ralph/PRD-3/plan.md': '', 'ralph/tasks.json': '{}' });
  expect(await find(root, { flags: { prd: '3' } })).toMatchObject({ specDir: '.ralph/PRD-3', prdNumber: 3 });
  expect(await find(root, { flags: { prd: 2 } })).toMatchObject({ prdNumber: 2 });
  for (const prd of ['0', '-1', '1.5', '03', '../x', '1/../2', '', 'a', ' 1']) {
    expect(await messageOf(find(root, { flags: { prd } }))).toBe(
      `Error: --prd must be a positive whole number, not '${prd}'`,
    );
  }
  expect(await messageOf(find(root, { flags: { prd: '4' } }))).toBe(
    'Error: there is no .ralph/PRD-4\n  where: found: PRD-2, PRD-3\n  fix:   `ralph init --prd 4` creates it',
  );
  expect(await messageOf(find(root, { flags: { prd: '2', ralphDir: 'ralph' } }))).toContain('both name a spec folder');
});

test('the environment chooses when no flag does', async () => {
  const root = await tempTree({
    'ralph/tasks.json': '{}',
    '.ralph/PRD-2/plan.md': '',
    'plans/todo.md': '',
    'plans/a.txt': '',
  });
  expect((await find(root, { env: { PRD_NUMBER: '2' } })).specDir).toBe('.ralph/PRD-2');
  expect(await find(root, { env: { PLAN_PATH: 'plans/todo.md', PROGRESS_PATH: 'log/p.md' } })).toMatchObject({
    specDir: 'plans',
    backlog: { path: 'plans/todo.md', format: 'markdown' },
    progressPath: 'log/p.md',
  });
  expect(await find(root, { env: { PROGRESS_PATH: 'p.md' } })).toMatchObject({
    specDir: 'ralph',
    progressPath: 'p.md',
  });
  expect(
    (await find(root, { flags: { ralphDir: 'ralph' }, env: { PRD_NUMBER: '2', PLAN_PATH: 'plans/todo.md' } })).backlog
      ?.path,
  ).toBe('ralph/tasks.json');
  expect((await find(root, { env: { PRD_NUMBER: '', PLAN_PATH: '' } })).specDir).toBe('ralph');
  expect(await messageOf(find(root, { env: { PRD_NUMBER: '../1' } }))).toBe(
    "Error: PRD_NUMBER must be a positive whole number, not '../1'",
  );
  expect(await messageOf(find(root, { env: { PLAN_PATH: 'plans/none.md' } }))).toContain(
    "PLAN_PATH names 'plans/none.md', which does not exist",
  );
  expect(await messageOf(find(root, { env: { PLAN_PATH: 'plans/a.txt' } }))).toContain(
    "PLAN_PATH names 'plans/a.txt', which is not a backlog",
  );
  expect(await messageOf(find(root, { env: { PLAN_PATH: '/etc/passwd' } }))).toContain(
    'PLAN_PATH is outside the work tree',
  );
});

test('the search goes up from the starting folder to the root of the work tree', async () => {
  const root = await tempTree({
    'ralph/tasks.json': '{}',
    'packages/a/ralph/tasks.json': '{}',
    'packages/a/src/x.ts': '',
    'docs/x.md': '',
  });
  expect((await find(root, { cwd: join(root, 'packages/a/src') })).specDir).toBe('packages/a/ralph');
  expect((await find(root, { cwd: join(root, 'docs') })).specDir).toBe('ralph');
  expect((await find(root, { flags: { projectDir: 'packages/a' } })).specDir).toBe('packages/a/ralph');
  expect((await find(root, { env: { RALPH_ROOT: join(root, 'packages/a') } })).specDir).toBe('packages/a/ralph');
});
