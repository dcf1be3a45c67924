import { describe, expect, test } from 'vitest';
import { careFor, isProtectedPath, type SpecPaths } from './protected-paths.ts';

const specIn = (specDir: string, backlog: string | null, progress = 'progress.txt'): SpecPaths => {
  const at = (name: string) => (specDir === '.' ? name : `${specDir}/${name}`);
  return {
    specDir,
    backlog: backlog === null ? null : { path: at(backlog) },
    prdPath: at('prd.md'),
    progressPath: at(progress),
    promptPath: at('prompt.md'),
    reviewsPath: at('reviews.json'),
  };
};

const RALPH = specIn('ralph', 'tasks.json');
const PLAN = specIn('ralph', 'plan.md');
const NUMBERED = specIn('.ralph/PRD-2', 'tasks.json', 'progress.md');
const CLASSIC: SpecPaths = { ...specIn('.', 'fix_plan.md'), promptPath: 'PROMPT.md' };
const NESTED = specIn('packages/app/.ralph/PRD-1', 'tasks.json', 'progress.md');
const CHOSEN = specIn('docs/loop', 'plan.md');

test.each([['prd.md'], ['prompt.md'], ['reviews.json']])('%s of the spec folder is for people alone', (name) => {
  expect(isProtectedPath(RALPH, `ralph/${name}`)).toBe(true);
  expect(isProtectedPath(NUMBERED, `.ralph/PRD-2/${name}`)).toBe(true);
});

test.each([
  ['ralph/', RALPH],
  ['ralph/ with a checklist', PLAN],
  ['.ralph/PRD-2/', NUMBERED],
  ['the root', CLASSIC],
  ['a folder that was named', CHOSEN],
] as const)('backlog and progress log of %s are judged instead', (_, spec) => {
  expect(isProtectedPath(spec, spec.backlog?.path ?? '')).toBe(false);
  expect(isProtectedPath(spec, spec.progressPath)).toBe(false);
});

describe('what the next start would take instead', () => {
  test.each([
    ['the other spelling of the template', RALPH, 'ralph/PROMPT.md'],
    ['the other spelling of the requirements', RALPH, 'ralph/PRD.md'],
    ['a backlog that is looked for earlier', PLAN, 'ralph/tasks.json'],
    ['a backlog that is looked for later', PLAN, 'ralph/fix_plan.md'],
    ['a backlog of equal precedence, which ends the next start', specIn('ralph', 'fix_plan.md'), 'ralph/@fix_plan.md'],
    ['a progress log that is looked for earlier', specIn('ralph', 'tasks.json', 'progress.md'), 'ralph/progress.txt'],
    ['a folder in the place of a file', PLAN, 'ralph/tasks.json/a.md'],
    ['a spec folder that is looked for earlier', NUMBERED, 'ralph/tasks.json'],
    ['its template', NUMBERED, 'ralph/prompt.md'],
    ['a spec folder with a lower number', NUMBERED, '.ralph/PRD-1/tasks.json'],
    ['a number alone, whatever is in its folder', NUMBERED, '.ralph/PRD-1/notes.txt'],
    ['a number that is a file', NUMBERED, '.ralph/PRD-1'],
    ['a spec folder beside a lone PROMPT.md', CLASSIC, 'ralph/prd.md'],
    ['a numbered spec folder beside a lone PROMPT.md', CLASSIC, '.ralph/PRD-1/tasks.json'],
    ['a backlog beside a lone PROMPT.md', CLASSIC, 'tasks.json'],
    ['requirements beside a lone PROMPT.md', CLASSIC, 'prd.md'],
    ['a spec folder beside that of a package', NESTED, 'packages/app/ralph/tasks.json'],
    ['the numbers beside that of a package', NESTED, 'packages/app/.ralph/PRD-2/prd.md'],
    ['the spec folder of the root', NESTED, 'ralph/plan.md'],
    ['a template in a folder that was named', CHOSEN, 'docs/loop/PROMPT.md'],
    ['the spec folder that is found without a name', CHOSEN, 'ralph/tasks.json'],
  ] as const)('%s is protected', (_, spec, path) => {
    expect(isProtectedPath(spec, path)).toBe(true);
  });

  test('is told without regard to case, as some file systems do', () => {
    for (const path of ['Ralph/Tasks.JSON', 'ralph/Prompt.md', '.Ralph/prd-1/tasks.json', 'ralph/REVIEWS.json']) {
      expect(isProtectedPath(NUMBERED, path)).toBe(true);
    }
    expect(isProtectedPath(NUMBERED, '.ralph/prd-2/Tasks.json')).toBe(false);
  });
});

test('a PROMPT.md that is template and backlog in one is for people', () => {
  const lone: SpecPaths = { ...CLASSIC, backlog: { path: 'PROMPT.md' } };
  expect(isProtectedPath(lone, 'PROMPT.md')).toBe(true);
});

test('of the folders of other agents, what starts programs at the next session is for people alone', () => {
  const starts = [
    '.qwen/settings.json',
    '.cursor/mcp.json',
    '.amp/plugins/x.ts',
    '.kimi-code/mcp.json',
    '.kiro/hooks/x',
  ];
  for (const path of starts) expect(isProtectedPath(RALPH, path), path).toBe(true);
  for (const path of ['.cursor/rules/x.mdc', '.kiro/specs/x.md'])
    expect(isProtectedPath(RALPH, path), path).toBe(false);
});

test.each(['.git', '.git/config', '.GIT/hooks/pre-commit', 'ralph.config.ts', '.claude/settings.local.json'])(
  '%s would run or rule on the host',
  (path) => {
    expect(isProtectedPath(RALPH, path)).toBe(true);
  },
);

test.each([
  [RALPH, 'tasks.json'],
  [RALPH, 'PROMPT.md'],
  [RALPH, 'docs/plan.md'],
  [RALPH, 'src/prompt.md'],
  [RALPH, 'src/ralph/plan.md'],
  [RALPH, 'ralph/notes.md'],
  [RALPH, 'ralph/src/plan.md'],
  [RALPH, 'ralph-old/tasks.json'],
  [NUMBERED, 'ralph/loop.py'],
  [NUMBERED, '.ralph/PRD-2/notes.txt'],
  [NUMBERED, '.ralph/PRD-draft/prd.md'],
  [CLASSIC, 'docs/tasks.json'],
  [CLASSIC, 'src/fix_plan.md'],
  [CHOSEN, 'docs/plan.md'],
  [NESTED, 'packages/app/plan.md'],
] as const)('with the spec folder of %j, %s is work like any other', (spec, path) => {
  expect(isProtectedPath(spec, path)).toBe(false);
});

test('what runs on the host as a plugin is protected, whatever the case, and so is all of its folder', () => {
  const spec: SpecPaths = { ...RALPH, hostFiles: ['plugins/Deadline.js', 'node_modules/@acme/plugin'] };
  const held = ['plugins/Deadline.js', 'plugins/deadline.js', 'node_modules/@acme/plugin/lib/a.js'];
  expect(held.filter((path) => isProtectedPath(spec, path))).toEqual(held);
  const free = ['plugins/other.js', 'node_modules/@acme/plugin-two/a.js', 'plugins/Deadline.js.bak'];
  expect(free.filter((path) => isProtectedPath(spec, path))).toEqual([]);
});

const NONE: readonly string[] = [];

test.each([
  ['.env', 'file', 'always'],
  ['apps/web/.env.local', 'file', 'always'],
  ['config/secrets.local.yml', 'file', 'usual'],
  ['private', 'folder', 'open'],
  ['node_modules', 'folder', 'no'],
  ['apps/web/dist', 'folder', 'no'],
  ['node_modules/x/.env', 'file', 'no'],
  ['debug.log', 'file', 'no'],
  ['build', 'file', 'usual'],
] as const)('%s, a %s: %s', (path, kind, care) => {
  expect(careFor(path, kind, NONE)).toBe(care);
});

test('the setting names paths from the root, names anywhere, and patterns within a name', () => {
  const setting = ['vendor/mine/', '*.sqlite', 'coverage', '!/.env', '!config/*.yml'];
  expect(careFor('vendor', 'folder', setting)).toBe('open');
  expect(careFor('vendor/other', 'folder', setting)).toBe('no');
  expect(careFor('vendor/mine', 'folder', setting)).toBe('open');
  expect(careFor('vendor/mine/a/b.txt', 'file', setting)).toBe('always');
  expect(careFor('data/dev.sqlite', 'file', setting)).toBe('always');
  expect(careFor('data/dev.sqlite3', 'file', setting)).toBe('usual');
  expect(careFor('a/coverage/b', 'file', setting)).toBe('always');
  expect(careFor('.env', 'file', setting)).toBe('no');
  expect(careFor('a/.env', 'file', setting)).toBe('always');
  expect(careFor('config/a.yml', 'file', setting)).toBe('no');
  expect(careFor('config/a/b.yml', 'file', setting)).toBe('usual');
});
