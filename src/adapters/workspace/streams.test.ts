import { basename } from 'node:path';
import { expect, test } from 'vitest';
import { list, readText, realPath } from '../../platform/index.ts';
import { appendMergeRequest, copyToWorktree, markMergeRequestsHandled, openMergeRequests } from './streams.ts';
import { tempTree } from './temp-tree.fixture.ts';

const request = { at: '2026-01-01T00:00:00.000Z', run: 'r', story: 'A', branch: 'x', title: 't', body: 'b' };

test('requests of a branch are there until they are dealt with; later ones count again', async () => {
  const root = await tempTree();
  expect(await openMergeRequests(root, 'x')).toEqual([]);
  appendMergeRequest(root, request);
  appendMergeRequest(root, { ...request, branch: 'y' });
  expect(await openMergeRequests(root, 'x')).toEqual([request]);
  markMergeRequestsHandled(root, 'x', request.at, 'https://example.org/1');
  expect(await openMergeRequests(root, 'x')).toEqual([]);
  expect(await openMergeRequests(root, 'y')).toHaveLength(1);
  const later = { ...request, at: '2026-01-02T00:00:00.000Z' };
  appendMergeRequest(root, later);
  expect(await openMergeRequests(root, 'x')).toEqual([later]);
});

test('lines that are none are skipped', async () => {
  const path = '.ralph/state/merge-requests.jsonl';
  const root = await tempTree({ [path]: `{"title":1}\nnull\n[]\n{\n${JSON.stringify(request)}\n` });
  expect(await openMergeRequests(root, 'x')).toEqual([request]);
});

test('what is copied stays inside of both work trees', async () => {
  const from = await realPath(await tempTree({ 'a.env': 'x', 'conf/b.env': 'y' }));
  const to = await tempTree({ 'tree/': '' });
  expect(await copyToWorktree(from, `${to}/tree`, ['a.env', './conf/'])).toBeNull();
  expect(await readText(`${to}/tree/conf/b.env`)).toBe('y');
  const around = `../${basename(from)}/a.env`;
  expect(await copyToWorktree(from, `${to}/tree`, [around])).toBe(
    `checks.copy names ${around}, which is not in the project`,
  );
  expect(await list(to)).toEqual(['tree']);
});
