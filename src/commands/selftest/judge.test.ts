import { rm } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { played, ROW, untouched } from '../../../test/support/untouched.ts';
import { conclusionOf, judgeRow } from './judge.ts';

test('a row whose run did not end, or never began, says only that', async () => {
  const project = await untouched();
  expect(await judgeRow(ROW, project, played({ timedOut: true }), null)).toEqual(['the run did not end']);
  const refused = played({ run: null, exitCode: 2, stderr: 'Error: no\nmore' });
  expect(await judgeRow(ROW, project, refused, null)).toEqual(['the run did not begin (exit 2): Error: no']);
  expect(conclusionOf({ ...refused, reason: null })).toBe('Error: no');
});

test('what each invariant finds comes together, and another agent is not held to the verdicts of the row', async () => {
  const project = await untouched();
  await project.editStory(0, { passes: true });
  const run = played({ exitCode: 1, reason: 'iterations', verdicts: ['rejected'] });
  const marks = [
    'US-001 is marked as done, but its check fails',
    'US-001 is marked as done, but no review approved it',
  ];
  expect(await judgeRow(ROW, project, run, null)).toEqual([
    'exit 1 instead of 0',
    'ended with iterations instead of complete',
    expect.stringContaining('verdicts rejected instead of'),
    ...marks,
  ]);
  expect(await judgeRow(ROW, project, run, 'true')).toEqual(marks);
});

test('a project that is destroyed is a complaint and no crash', async () => {
  const project = await untouched();
  await rm(`${project.root}/.git/HEAD`);
  await rm(`${project.root}/ralph`, { recursive: true });
  expect(await judgeRow(ROW, project, played(), null)).toEqual([
    expect.stringContaining('cannot be judged: '),
    expect.stringContaining('cannot be judged: '),
  ]);
});
