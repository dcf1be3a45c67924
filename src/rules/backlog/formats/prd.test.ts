import { describe, expect, test } from 'vitest';
import { documentOf, loadText } from '../document.fixture.ts';

const load = (value: unknown) => loadText('prd-json', JSON.stringify(value, null, 1));
const story = (id: string, more: object = {}) => ({ id, title: id.toLowerCase(), passes: false, ...more });
const ids = (value: unknown) =>
  load(value).document?.backlog.stories.map(({ id, passes }) => `${id}${passes ? ' done' : ''}`);

describe('a warning is given for', () => {
  test.each([
    [
      'an entry that is no story',
      { userStories: [story('A'), story('B'), 'see the wiki', null] },
      'schema/type',
      '"see the wiki"',
      13,
    ],
    [
      'open stories beside those that are worked on',
      { userStories: [story('A')], tasks: [story('T')] },
      'schema/left-out',
      '1 entry under tasks looks like a story',
      9,
    ],
    ['a command that is none', { tasks: [story('A', { testCommand: 'curl localhost' })] }, 'schema/check', 'curl', 3],
    ['prose at the top', { qualityGates: ['score > 90'], tasks: [story('A')] }, 'schema/check', 'score', 1],
  ])('%s', (_name, value, rule, message, line) => {
    const { document, problems } = load(value);
    expect(document).not.toBeNull();
    expect(problems[0]).toMatchObject({ severity: 'warning', rule, line });
    expect(problems[0]?.message).toContain(message);
  });

  test('a key that stands twice', () => {
    const { problems } = loadText('prd-json', '{"tasks":[{"id":"A","title":"a","passes":true,"passes":false}]}');
    expect(problems).toMatchObject([{ severity: 'warning', rule: 'schema/repeated-key' }]);
  });

  test('nothing where everything is as usual', () => {
    expect(load({ tasks: [story('A', { testCommand: 'npm test' })], risks: [story('B')] }).problems).toEqual([]);
  });
});

test('on a board `closed` means archived: the column says whether a card is done', () => {
  expect(ids({ lists: [{ name: 'Done', cards: [{ id: 'A', title: 'a', closed: false }] }] })).toEqual(['A done']);
});

describe('no work are', () => {
  test.each([
    ['people', [{ id: 1, name: 'Una', email: 'u@x', active: true }]],
    [
      'names',
      [
        { id: 1, name: 'one' },
        { id: 2, name: 'two' },
      ],
    ],
  ])('%s', (_name, value) => {
    expect(load(value).problems).toMatchObject([{ rule: 'schema/no-stories' }]);
  });
});

test('stories of a tag wait for those of the same tag', () => {
  const task = (id: number, ...dependencies: number[]) => ({ id, title: `t${id}`, status: 'pending', dependencies });
  const { stories } = documentOf(
    'prd-json',
    JSON.stringify({ cart: { tasks: [task(1)] }, auth: { tasks: [task(1), task(2, 1)] } }),
  ).backlog;
  expect(stories.map(({ id, dependsOn }) => [id, ...dependsOn])).toEqual([
    ['cart.1'],
    ['auth.1'],
    ['auth.2', 'auth.1'],
  ]);
});

test.each([
  ['relies_on', ['A']],
  ['prereqs', 'A-1 and B-2'],
  ['waitsFor', 'A-1 B-2'],
  ['predecessors', [{ id: 'A' }]],
  ['depends', { internal: ['A'], external: [] }],
])('a story waits for what stands under %s', (key, value) => {
  const { document } = load([story('A'), story('B'), story('A-1'), story('B-2'), story('C', { [key]: value })]);
  const expected = typeof value === 'string' ? value.split(/ and | /) : ['A'];
  expect(document?.backlog.stories[4]?.dependsOn).toEqual(expected);
});

test.each(['dod', 'AC', 'exitCriteria', 'expected_outcomes', 'verification_steps', 'requirements'])(
  'a story has the criteria under %s',
  (key) => {
    const { document } = load([story('A', { [key]: ['it is a', 'it is b'] })]);
    expect(document?.backlog.stories[0]?.acceptanceCriteria).toEqual(['it is a', 'it is b']);
  },
);

test('only links that block hold a story back', () => {
  const link = (type: string, to: string) => ({ issue_id: 'B', depends_on_id: to, type });
  const stories = ids([
    story('A'),
    story('B', { dependencies: [link('blocks', 'A'), link('parent-child', 'C')] }),
    story('C'),
  ]);
  expect(stories).toEqual(['A', 'B', 'C']);
  const { document } = load([story('A'), story('B', { dependencies: [link('blocks', 'A'), link('related', 'C')] })]);
  expect(document?.backlog.stories[1]?.dependsOn).toEqual(['A']);
});

test('an id with more digits than a number holds stays what it is', () => {
  const text = '[{"id":12345678901234567890,"title":"a -1234567890123456789 b","passes":false}]';
  expect(documentOf('prd-json', text).backlog.stories).toMatchObject([
    { id: '12345678901234567890', title: 'a -1234567890123456789 b' },
  ]);
});

test('a merge conflict and endless nesting are named', () => {
  expect(loadText('prd-json', '{\n<<<<<<< HEAD\n"a":1\n=======\n').problems).toMatchObject([
    { rule: 'schema/conflict', line: 2 },
  ]);
});

test('what is left out is told with its number, its place and the reason', () => {
  const task = (id: string, more: object = {}) => ({ id, title: id, status: 'pending', ...more });
  const messages = (value: unknown) => load(value).problems.map(({ message }) => message);
  expect(messages({ tasks: [task('A'), task('B', { archived: true }), task('C', { status: 'deleted' })] })).toEqual([
    '2 entries under tasks are archived or deleted, so left out',
  ]);
  expect(
    messages({ currentVersion: 'v2', versions: { v1: { tasks: [task('A')] }, v2: { tasks: [task('B')] } } }),
  ).toEqual(['1 entry under versions.v1.tasks is left out: the current list is versions.v2.tasks']);
});
