import { expect, test } from 'vitest';
import { documentOf } from './document.fixture.ts';
import { validateBacklog } from './validate.ts';

const check = (stories: Record<string, unknown>[]) => {
  const document = documentOf(
    'tasks-json',
    JSON.stringify({ verifyCommands: ['true'], userStories: stories }, null, 2),
  );
  return validateBacklog(document).map(({ severity, rule, line, message }) => `${line} ${severity} ${rule} ${message}`);
};
const good = { id: 'A', title: 'a', acceptanceCriteria: ['x'], passes: false };

test('a sound backlog has no problems', () => {
  expect(
    check([good, { ...good, id: 'B', passes: true, reviewStatus: 'approved' }, { ...good, id: 'C', passes: true }]),
  ).toEqual([]);
});

test('contradictions are named with their line', () => {
  expect(
    check([
      { ...good, acceptanceCriteria: [' '] },
      { ...good, id: 'B', reviewStatus: 'approved' },
      { ...good, id: 'C', passes: true, reviewStatus: 'changes_requested', dependsOn: ['A'], blocked: 'b' },
    ]),
  ).toMatchInlineSnapshot(`
    [
      "6 error schema/criteria A: has no acceptance criteria",
      "14 warning invariant/approved-passes B: is approved, but "passes" is false",
      "23 warning invariant/passes-under-review C: passes, but its reviewStatus is changes_requested",
      "23 warning invariant/feedback C: has changes requested without feedback",
      "23 warning invariant/done-before-dependency C: is done, but depends on A, still open",
      "23 warning invariant/done-and-blocked C: is both done and blocked",
    ]
  `);
});

test('an empty backlog without checks is worth two warnings', () => {
  expect(validateBacklog(documentOf('tasks-json', '{"userStories": []}')).map(({ rule }) => rule)).toEqual([
    'schema/no-stories',
    'schema/no-checks',
  ]);
});
