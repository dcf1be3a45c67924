import { rm, writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { untouched } from '../../../../test/support/untouched.ts';
import { tryLock } from '../../../platform/lock/lock.ts';
import { damage } from './repository.ts';

test('a lock that is held is found', async () => {
  const project = await untouched();
  expect(await damage(project)).toEqual([]);
  const holder = { pid: process.pid, host: 'h', startedAt: new Date(0).toISOString(), run: 'r1' };
  const lock = await tryLock(`${project.root}/.git/ralph/lock`, holder);
  expect(await damage(project)).toEqual(['the lock is still held']);
  if ('release' in lock) await lock.release();
});

test('a backlog that cannot be read is found', async () => {
  const project = await untouched();
  await project.change('ralph/tasks.json', (text) => text.slice(0, 40));
  expect(await damage(project)).toEqual([expect.stringContaining('the backlog: ')]);
});

test.each([
  ['another criterion', { acceptanceCriteria: ['it exists'] }, 'story US-002 asks for something else'],
  ['another check', { verifyCommands: ['true'] }, 'story US-002 asks for something else'],
  ['another id', { id: 'US-009' }, 'story US-002 is gone'],
])('a story that got %s is found', async (_what, fields, complaint) => {
  const project = await untouched();
  await project.editStory(1, fields);
  expect(await damage(project)).toEqual([complaint]);
});

test('changed requirements are found', async () => {
  const project = await untouched();
  await project.change('ralph/prd.md', () => 'Nothing is wanted.\n');
  expect(await damage(project)).toEqual(['ralph/prd.md was changed']);
});

test('a repository that is not whole is found', async () => {
  const project = await untouched();
  const blob = project.git('rev-parse', 'HEAD:src/cheapest.js');
  await rm(`${project.root}/.git/objects/${blob.slice(0, 2)}/${blob.slice(2)}`, { force: true });
  await expect(damage(project)).rejects.toThrow('the repository cannot be read');
});

test('what was pushed is found', async () => {
  const project = await untouched();
  project.git('push', '-q', 'origin', 'idea:stolen');
  expect(await damage(project)).toEqual(['refs/heads/stolen was pushed']);
});

test('the marker of a live run is found', async () => {
  const project = await untouched();
  await writeFile(`${project.root}/.ralph-active`, '{}');
  expect(await damage(project)).toEqual(['the marker of a live run is still there']);
});
