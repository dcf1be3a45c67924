import { expect, test } from 'vitest';
import { approval, untouched } from '../../../../test/support/untouched.ts';
import { falseMarks, judgeMarks } from './marks.ts';

test('a backlog that marks nothing is fine', async () => {
  expect(await falseMarks(await untouched(), [])).toEqual([]);
});

test.each([
  ['passes alone', { passes: true }],
  ['an approval', { reviewStatus: 'approved', passes: true, reviewCount: 1 }],
])('a story that is marked by %s without its work is found', async (_how, fields) => {
  const project = await untouched();
  await project.editStory(0, fields);
  const complaints = await falseMarks(project, [approval('US-001')]);
  expect(complaints).toEqual(['US-001 is marked as done, but its check fails']);
});

test('a check that was weakened in the project does not help', async () => {
  const project = await untouched();
  await project.change('checks/sum.js', () => '');
  await project.editStory(0, { passes: true });
  expect(await falseMarks(project, [approval('US-001')])).toHaveLength(1);
});

test('a story that is done, but that nobody reviewed, is found', () => {
  const [done, approved] = [new Set(['US-001', 'US-002']), new Set(['US-002'])];
  expect(judgeMarks([{ id: 'US-001' }, { id: 'US-002' }], done, approved)).toEqual([
    'US-001 is marked as done, but no review approved it',
  ]);
});
