import { describe, expect, test } from 'vitest';
import { documentOf } from '../document.fixture.ts';

const read = (value: unknown) => documentOf('prd-json', JSON.stringify(value)).backlog;
const summary = (value: unknown) => read(value).stories.map(({ id, passes }) => `${id}${passes ? ' done' : ''}`);

describe('stories are found in', () => {
  const a = { id: 'A', title: 'a', passes: true };
  const b = { id: 'B', title: 'b', passes: false };
  test.each([
    ['a bare array', [a, b]],
    ['userStories', { userStories: [a, b] }],
    [
      'features beside other arrays with ids',
      { personas: [{ id: 'P', name: 'p' }], milestones: [{ id: 'M', name: 'm', includes: [] }], features: [a, b] },
    ],
    ['tasks with flags rather than features without', { features: [{ name: 'x' }], tasks: [a, b] }],
    ['a wrapper', { prd: { status: 'done', stories: [a, b] } }],
    [
      'phases',
      {
        phases: [
          { name: 'one', tasks: [a] },
          { name: 'two', tasks: [b] },
        ],
      },
    ],
    [
      'maps of maps',
      {
        phases: {
          p1: { status: 'done', features: { A: { name: 'a', completed: true } } },
          p2: { features: { B: { completed: false } } },
        },
        mvpCriteria: { c: { name: 'c', completed: true } },
      },
    ],
    [
      'features that hold stories',
      {
        features: [
          { id: 'F', name: 'f', userStories: [a] },
          { id: 'G', name: 'g', userStories: [b] },
        ],
      },
    ],
    [
      'milestones that are done themselves',
      {
        milestones: [
          { id: 'A', name: 'a', status: 'complete' },
          { id: 'B', name: 'b', status: 'in_progress' },
        ],
      },
    ],
  ])('%s', (_name, value) => {
    expect(summary(value)).toEqual(['A done', 'B']);
  });
});

test('only true and words of completion are done', () => {
  const flags = [
    { passes: true },
    { status: 'Done' },
    { state: 'CLOSED' },
    { passes: [] },
    { passes: null, status: 'completed' },
    { passes: 1 },
    { status: 'not done' },
    { passes: 'false' },
  ];
  expect(
    read(flags.map((flag, index) => ({ title: `t${index}`, ...flag }))).stories.map(({ passes }) => passes),
  ).toEqual([true, true, true, false, true, false, false, false]);
});

test('fields go by many names and types', () => {
  const [one, two, three] = read({
    name: 'N',
    stories: [
      {
        id: 3,
        name: 'A  title',
        desc: 'text',
        acceptance: '- one\n- two\n',
        dependencies: [4],
        priority: 'P0',
        notes: ['x', 'y'],
      },
      {
        id: 4,
        description: 'Only a\ndescription',
        steps: [{ text: 'first', passes: true }, { other: 1 }],
        depends_on: 'none',
        priority: 'high',
      },
      { id: '5', title: 'C', acceptanceCriteria: 'a, b', blocked: 'no key' },
    ],
  }).stories;
  expect(one).toMatchObject({
    id: '3',
    title: 'A title',
    description: 'text',
    acceptanceCriteria: ['one', 'two'],
    dependsOn: ['4'],
    priority: 0,
    notes: 'x\ny',
  });
  expect(two).toMatchObject({
    title: 'Only a description',
    description: '',
    acceptanceCriteria: ['first', '{"other":1}'],
    dependsOn: [],
    priority: 1,
  });
  expect(three).toMatchObject({ acceptanceCriteria: ['a, b'], priority: 2, blocked: 'no key' });
});

test('stories without ids get some that stay when others change', () => {
  const ids = (...titles: string[]) =>
    read(titles.map((description) => ({ description, done: false }))).stories.map(({ id }) => id);
  const [one, two, again] = ids('First thing', 'Second thing', 'first  Thing!');
  expect(ids('Another', 'Second thing', 'First thing')).toEqual([expect.any(String), two, one]);
  expect(again).toBe(`${one}-2`);
});

test('a dependency that nobody has only matters while its story is open', () => {
  const stories = [{ id: 'A', title: 'a', passes: true, dependsOn: ['X'] }];
  expect(read(stories).stories[0]?.dependsOn).toEqual([]);
  expect(() => read([{ ...stories[0], passes: false }])).toThrow('unknown-dependency');
});
