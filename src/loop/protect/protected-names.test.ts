import { lstat, mkdir, mkdtemp, readFile, readlink, rename, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { makeRepository } from '../../../test/support/git-repository.ts';
import type { Workspace } from '../../adapters/workspace/index.ts';
import { systemClock } from '../../platform/index.ts';
import { restoreNames, takeNames } from './protected-names.ts';

const WORKSPACE = {
  specDir: 'ralph',
  backlog: { path: 'ralph/tasks.json' },
  progressPath: 'ralph/progress.txt',
  prdPath: 'ralph/prd.md',
  promptPath: 'ralph/prompt.md',
  reviewsPath: 'ralph/reviews.json',
} as unknown as Workspace;

let base: string;
let root: string;
let outside: string;
beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'ralph-names-'));
  [root, outside] = [join(base, 'tree'), join(base, 'outside')];
  for (const dir of [root, outside, join(root, '.claude')]) await mkdir(dir);
  await writeFile(join(outside, 'settings.json'), 'of the person');
  await writeFile(join(root, '.claude/settings.json'), 'of the project');
});
afterEach(() => rm(base, { recursive: true, force: true }));

/** What is kept needs no rescue here: it lies in the tree that the rescue would be based on. */
const git = { layOver: async (_folder: string, tree: string) => tree };
const putBack = (before: Awaited<ReturnType<typeof takeNames>>) => {
  const context = { git: { ...git, repo: { root, stateDir: join(base, 'kept') } }, clock: systemClock };
  return restoreNames(context as never, before, { run: 'r', iteration: 1 }, { tree: 't', head: 'h' });
};

test('a link in the place of a folder is put aside itself: nothing is changed where it leads', async () => {
  const before = await takeNames(root, WORKSPACE);
  await rename(join(root, '.claude'), join(root, 'moved'));
  await symlink(outside, join(root, '.claude'));
  await putBack(before);
  expect(await readFile(join(outside, 'settings.json'), 'utf8')).toBe('of the person');
  expect(await readFile(join(root, '.claude/settings.json'), 'utf8')).toBe('of the project');
  expect((await lstat(join(root, '.claude'))).isDirectory()).toBe(true);
  expect(await putBack(before)).toEqual([]);
});

test("the person's own link in the place of a folder stays, and comes back when it was replaced", async () => {
  await rm(join(root, '.claude'), { recursive: true });
  await symlink(outside, join(root, '.claude'));
  const before = await takeNames(root, WORKSPACE);
  expect(await putBack(before)).toEqual([]);
  await rm(join(root, '.claude'));
  await mkdir(join(root, '.claude'));
  await writeFile(join(root, '.claude/settings.json'), 'planted');
  await putBack(before);
  expect(await readlink(join(root, '.claude'))).toBe(outside);
  expect(await readFile(join(outside, 'settings.json'), 'utf8')).toBe('of the person');
});

test('a file in the place of a folder makes way for what was in it', async () => {
  const before = await takeNames(root, WORKSPACE);
  await rm(join(root, '.claude'), { recursive: true });
  await writeFile(join(root, '.claude'), 'in the way');
  await putBack(before);
  expect(await readFile(join(root, '.claude/settings.json'), 'utf8')).toBe('of the project');
});

test('a file too large to read is put aside without being read', async () => {
  const before = await takeNames(root, WORKSPACE);
  await writeFile(join(root, 'ralph.config.json'), '');
  await truncate(join(root, 'ralph.config.json'), 30 * 1024 ** 3);
  expect(await putBack(before)).toMatchObject([{ path: 'ralph.config.json', how: 'added' }]);
});

test('content that the tree of the checkpoint holds is recorded by its id, and comes back from there', async () => {
  const long = 'line\r\n'.repeat(2000);
  const held = ['ralph/reviews.json', 'ralph/prd.md', 'ralph/prompt.md'];
  const repo = await makeRepository({
    ...Object.fromEntries(held.map((path) => [path, long])),
    '.gitignore': '.mcp.json\n',
    'ralph.config.json': '{}\n',
  });
  repo.write('.mcp.json', long);
  const { tree, head } = await repo.git.checkpoint('main');
  const before = await takeNames(repo.root, WORKSPACE, { git: repo.git, tree });
  for (const path of held) expect(before[path]).toMatchObject({ kind: 'blob' });
  // One that git ignores, and a small one, are recorded themselves.
  for (const path of ['.mcp.json', 'ralph.config.json']) expect(before[path]).toMatchObject({ kind: 'file' });
  const context = { git: repo.git, clock: systemClock };
  const back = () => restoreNames(context, before, { run: 'r', iteration: 1 }, { tree, head });
  expect(await back()).toEqual([]);
  for (const path of [...held, '.mcp.json']) repo.write(path, 'of the agent');
  expect(await back()).toHaveLength(4);
  for (const path of [...held, '.mcp.json']) expect(repo.read(path)).toBe(long);
  expect(await back()).toEqual([]);
});
