import { writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { approval, played, ROW, untouched } from '../../../../test/support/untouched.ts';
import { judgeEnd, judgeFit, unfitEnd, wrongEnd } from './ending.ts';

test('a run that went as expected is fine', () => expect(judgeEnd(played(), ROW.expect)).toEqual([]));

test.each([
  ['another exit code', { exitCode: 1 }, 'exit 1 instead of 0'],
  ['death by a signal', { exitCode: null }, 'exit null instead of 0'],
  ['another reason', { reason: 'iterations' }, 'ended with iterations instead of complete'],
  ['another verdict', { verdicts: ['rejected'] }, 'verdicts rejected instead of'],
] as const)('%s is found', (_what, fields, complaint) => {
  expect(judgeEnd(played(fields), ROW.expect)).toEqual([expect.stringContaining(complaint)]);
});

test('events that are missing, and events that must not be there, are found', () => {
  const expected = { ...ROW.expect, events: ['wait'], noEvents: ['verdict'] } as const;
  expect(judgeEnd(played({ events: [approval('US-001')] }), expected)).toEqual(['no event wait', 'an event verdict']);
});

test('something planted that has run is found', async () => {
  const project = await untouched();
  await writeFile(`${project.home}/hook`, '');
  const complaints = await wrongEnd(project, played(), { ...ROW.expect, neverMade: ['hook', 'filter'] });
  expect(complaints).toEqual(['hook came into being: something planted has run']);
});

test.each([
  [0, { left: 0, workable: 0 }, true],
  [0, { left: 1, workable: 0 }, false],
  [6, { left: 1, workable: 0 }, true],
  [6, { left: 2, workable: 1 }, false],
  [6, { left: 0, workable: 0 }, false],
  [3, { left: 1, workable: 1 }, true],
  [1, { left: 0, workable: 0 }, false],
  [2, { left: 1, workable: 1 }, false],
  [null, { left: 1, workable: 1 }, false],
])('that exit %s fits %o is %s', (exitCode, stories, fits) => {
  expect(judgeFit(exitCode, stories)).toHaveLength(fits ? 0 : 1);
});

test('the exit code of an agent that may do anything must fit the backlog', async () => {
  const project = await untouched();
  expect(await unfitEnd(project, played({ exitCode: 0 }))).toEqual(['exit 0, but 2 stories are not done']);
  expect(await unfitEnd(project, played({ exitCode: 1 }))).toEqual([]);
});
