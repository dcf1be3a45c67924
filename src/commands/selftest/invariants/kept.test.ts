import { rm } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { untouched } from '../../../../test/support/untouched.ts';
import { blobId } from '../project.ts';
import { losses, lostWork } from './kept.ts';

const NOTHING_WRITTEN = new Map<string, string>();

test.each(['draft.txt', 'private/key.txt'])('an overwritten %s is found', async (path) => {
  const project = await untouched();
  expect(await losses(project, NOTHING_WRITTEN)).toEqual([]);
  await project.change(path, (text) => `${text}more\n`);
  expect(await losses(project, NOTHING_WRITTEN)).toEqual([`${path} of the user is overwritten, and nothing keeps it`]);
});

test('a deleted file of the user is found, unless a rescue holds it', async () => {
  const project = await untouched();
  const blob = project.git('hash-object', '-w', 'draft.txt');
  await rm(`${project.root}/draft.txt`);
  expect(await losses(project, NOTHING_WRITTEN)).toEqual(['draft.txt of the user is deleted, and nothing keeps it']);
  project.git('update-ref', 'refs/ralph/rescue/r1/1-1', blob);
  expect(await losses(project, NOTHING_WRITTEN)).toEqual([]);
});

test('a branch of the user that is gone is found, unless what it led to is kept for good', async () => {
  const project = await untouched();
  const idea = project.git('rev-parse', 'idea');
  project.git('branch', '-q', '-D', 'idea');
  expect(await losses(project, NOTHING_WRITTEN)).toEqual([expect.stringContaining(`out of reach, e.g. ${idea}`)]);
  project.git('update-ref', 'refs/ralph/checkpoint/lane-0/head', idea);
  expect(await losses(project, NOTHING_WRITTEN)).toHaveLength(1);
  project.git('update-ref', 'refs/ralph/moved/r1/1/idea', idea);
  expect(await losses(project, NOTHING_WRITTEN)).toEqual([]);
});

test('a file of the user that was committed is found', async () => {
  const project = await untouched();
  project.git('add', 'draft.txt');
  project.git('commit', '-q', '-m', 'everything');
  expect(await losses(project, NOTHING_WRITTEN)).toEqual(['draft.txt, which the user never added, was committed']);
});

test('work of the agent that no ref leads to is found', () => {
  const [kept, lost] = [blobId(Buffer.from('kept')), blobId(Buffer.from('lost'))];
  const written = new Map([
    [kept, 'a.js'],
    [lost, 'b.js'],
  ]);
  expect(lostWork(written, { kept: new Set([kept]) })).toEqual(['b.js as the agent wrote it is lost']);
});
