import { expect, test } from 'vitest';
import { changedOfUser, wrongCall, wrongCommits } from './invariants.ts';

const GOOD = ['feat(US-001): story US-001', 'chore(ralph): end', 'review(US-001): approved'];

test('one commit of work and one approval for each story is right', () => {
  expect(wrongCommits(GOOD, 1)).toEqual([]);
  const sentBack = ['review(US-001): changes requested', 'fix(US-001): address review feedback'];
  expect(wrongCommits([...GOOD, ...sentBack], 1)).toEqual([]);
});

test.each([
  ['a story that was committed twice', [...GOOD, GOOD[0] ?? ''], '2 commits "feat(US-001): story"'],
  ['a story without its approval', GOOD.slice(0, 2), '0 commits "review(US-001): approved"'],
  ['a fix that no review asked for', [...GOOD, 'fix(US-001): x'], '1 fixes of US-001 for 0 reviews'],
  ['a commit of somebody else', [...GOOD, 'mess'], 'commits nobody knows'],
])('%s is found', (_, subjects, says) => {
  expect(wrongCommits(subjects, 1).join('\n')).toContain(says);
});

test('a file, a setting and a ref of the user that changed are found; what is the same is not', () => {
  const before = { files: { a: 'file 1', b: 'file 2' }, git: { config: 'x' }, refs: { main: '1' } };
  expect(changedOfUser(before, before)).toEqual([]);
  const after = { files: { a: 'file 1', b: 'file 3' }, git: { config: 'y' }, refs: {} };
  expect(changedOfUser(before, after)).toEqual([
    'the user\'s file "b": "file 2" → "file 3"',
    'the user\'s git state "config": "x" → "y"',
    'the user\'s ref "main": "1" → absent',
  ]);
});

const call = { args: ['run'], code: 0, signal: null, stdout: '', stderr: '', late: false, peakMemory: 0, ms: 1 };

test.each([
  ['a program that does not end', { late: true }, 'did not end'],
  ['an exit code that is nowhere described', { code: 9 }, 'ended with 9'],
  ['a stack', { code: 1, stderr: 'Error: x\n    at run (file:///a/b.js:1:2)\n' }, 'shows a stack'],
  ['a bug', { code: 1, stderr: 'Error: x\n  This is a bug in ralph. RALPH_DEBUG=1 …' }, 'calls itself a bug'],
  ['an error without a way out', { code: 2, stderr: 'Error: x\n  where: y\n' }, 'says no way out'],
])('%s is found', (_, change, says) => {
  expect(wrongCall({ ...call, ...change }).join('\n')).toContain(says);
});

test('an error that names its way out, and a kill, are in order', () => {
  expect(wrongCall({ ...call, code: 2, stderr: 'Error: x\n  fix:   do y\n' })).toEqual([]);
  expect(wrongCall({ ...call, code: null, signal: 'SIGKILL' })).toEqual([]);
});
