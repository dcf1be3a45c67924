import { lstat, mkdir, readdir, readFile, rm, stat, symlink, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tasksText } from '../../../../test/support/tasks.ts';
import { findWorkspace } from '../layout.ts';
import { messageOf, tempTree } from '../temp-tree.fixture.ts';
import { loadOrThrow, readDocument, writeFiles } from './document.ts';

const find = (root: string) => findWorkspace({ root, cwd: root, flags: {}, env: {} });
const tasks = (...ids: readonly string[]) =>
  tasksText({ branchName: 'ralph/p', stories: ids.map((id) => ({ id, title: 'T' })) });

test('the backlog of a workspace is read', async () => {
  const workspace = await find(await tempTree({ 'ralph/tasks.json': tasks('US-001') }));
  const { document } = await loadOrThrow(workspace);
  expect(document).toMatchObject({ file: 'ralph/tasks.json', reviewsFile: 'ralph/reviews.json', reviewsText: null });
  expect(document.backlog.stories.map((s) => s.id)).toEqual(['US-001']);
});

test('a backlog is read again only when a byte of it has changed', async () => {
  const workspace = await find(await tempTree({ 'ralph/tasks.json': tasks('US-001') }));
  const first = await readDocument(workspace);
  expect(await readDocument(workspace)).toBe(first);
  await writeFiles(workspace.root, { 'ralph/tasks.json': tasks('US-002') });
  expect((await readDocument(workspace)).document?.backlog.stories[0]?.id).toBe('US-002');
  await writeFiles(workspace.root, { 'ralph/reviews.json': '{' });
  expect((await readDocument(workspace)).problems[0]).toMatchObject({ file: 'ralph/reviews.json' });
});

test('a backlog that cannot be used throws every problem', async () => {
  const workspace = await find(await tempTree({ 'ralph/tasks.json': tasks('US-001', 'US-001') }));
  const message = await messageOf(loadOrThrow(workspace));
  expect(message).toContain('Error: ralph/tasks.json cannot be used: 1 error');
  expect(message).toMatch(/ralph\/tasks\.json:\d+: .*US-001/);
});

test('a backlog that vanished is a problem, and none at all is a usage error', async () => {
  const root = await tempTree({ 'ralph/prd.md': '' });
  const workspace = await find(root);
  expect(await messageOf(readDocument(workspace))).toContain('Error: there is no backlog\n  where: ralph');
  const gone = { ...workspace, backlog: { path: 'ralph/tasks.json', format: 'tasks-json' as const } };
  expect((await readDocument(gone)).problems[0]).toMatchObject({ rule: 'file/missing', file: 'ralph/tasks.json' });
  expect(await messageOf(loadOrThrow(gone))).toContain('ralph/tasks.json:1: the file is gone');
});

test('files are written, removed, and left alone when they already hold the bytes', async () => {
  const root = await tempTree({ 'same.txt': 'same', 'old.txt': 'old', 'gone.txt': 'x' });
  const past = new Date(1_000_000_000_000);
  await utimes(join(root, 'same.txt'), past, past);
  await writeFiles(root, {
    'same.txt': 'same',
    'old.txt': new Uint8Array([0, 255]),
    'gone.txt': null,
    'deep/er/new.txt': 'new',
    'never.txt': null,
  });
  expect((await stat(join(root, 'same.txt'))).mtimeMs).toBe(past.getTime());
  expect(await readFile(join(root, 'old.txt'))).toEqual(Buffer.from([0, 255]));
  expect(await readFile(join(root, 'deep/er/new.txt'), 'utf8')).toBe('new');
  await expect(stat(join(root, 'gone.txt'))).rejects.toThrow('ENOENT');
});

test('no path leads out of the work tree', async () => {
  const outside = await tempTree({ 'victim.txt': 'mine' });
  const root = await tempTree();
  for (const path of ['../victim.txt', 'a/../../victim.txt', '/etc/victim']) {
    expect(await messageOf(writeFiles(root, { [path]: 'yours' }))).toContain(
      `Error: ${path} leads out of the work tree`,
    );
  }
  expect(await readFile(join(outside, 'victim.txt'), 'utf8')).toBe('mine');
});

test('a folder that leads elsewhere, or is none, makes way for a folder', async () => {
  const outside = await tempTree({ 'victim.txt': 'mine' });
  const root = await tempTree({ file: '' });
  await symlink(outside, join(root, 'folder'));
  await symlink('nowhere', join(root, 'dangling'));
  const files = ['folder/victim.txt', 'folder/deep/a.txt', 'folder/b.txt', 'file/a.txt', 'dangling/a.txt'];
  await writeFiles(root, Object.fromEntries(files.map((path) => [path, 'yours'])));
  for (const path of files) expect(await readFile(join(root, path), 'utf8')).toBe('yours');
  expect(await readdir(outside)).toEqual(['victim.txt']);
  expect(await readFile(join(outside, 'victim.txt'), 'utf8')).toBe('mine');
});

test('a folder that is a link inside the work tree is written through', async () => {
  const root = await tempTree({ 'spec/tasks.json': '' });
  await symlink('spec', join(root, 'ralph'));
  await writeFiles(root, { 'ralph/tasks.json': 'yours' });
  expect(await readFile(join(root, 'spec/tasks.json'), 'utf8')).toBe('yours');
  expect((await lstat(join(root, 'ralph'))).isSymbolicLink()).toBe(true);
});

test('a backlog behind a link that leads out is a problem, not a backlog', async () => {
  const outside = await tempTree({ 'tasks.json': tasks('US-900') });
  const root = await tempTree({ 'ralph/tasks.json': tasks('US-001') });
  const workspace = await find(root);
  await rm(join(root, 'ralph/tasks.json'));
  await symlink(join(outside, 'tasks.json'), join(root, 'ralph/tasks.json'));
  const { document, problems } = await readDocument(workspace);
  expect(document).toBeNull();
  expect(problems[0]?.message).toContain('leads out of the work tree');
});

test('a link planted in place of a file is replaced, not followed', async () => {
  const outside = await tempTree({ 'victim.txt': 'mine' });
  const root = await tempTree();
  await mkdir(join(root, 'ralph'));
  await symlink(join(outside, 'victim.txt'), join(root, 'ralph/tasks.json'));
  await writeFiles(root, { 'ralph/tasks.json': 'yours' });
  expect(await readFile(join(outside, 'victim.txt'), 'utf8')).toBe('mine');
  expect((await lstat(join(root, 'ralph/tasks.json'))).isFile()).toBe(true);
});
