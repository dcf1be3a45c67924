import { describe, expect, test } from 'vitest';
import { documentOf, loadText } from '../document.fixture.ts';
import { editBacklog } from '../document.ts';

const read = (value: unknown) => documentOf('prd-json', JSON.stringify(value)).backlog;
const summary = (value: unknown) => read(value).stories.map(({ id, passes }) => `${id}${passes ? ' done' : ''}`);

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
  ).toEqual([true, true, true, false, true, true, false, false]);
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

test('what a story waits for is found by what people write', () => {
  const { stories } = read([
    { id: 'US-001', title: 'Log in', done: true },
    { id: 'US-002', title: 'b', done: false, dependsOn: ['US-001 (login)', 'log in'] },
    { id: 'US-003', title: 'c', done: false, dependencies: [{ id: 'us-2' }, '#US-001: Log in'] },
    { id: 'US-004', title: 'd', done: false, blockedBy: 'Story US-002, the new API' },
    { id: 'US-005', title: 'e', done: true, dependsOn: ['gone'] },
  ]);
  expect(stories.map(({ dependsOn }) => dependsOn)).toEqual([[], ['US-001'], ['US-002', 'US-001'], ['US-002'], []]);
  expect(stories[3]?.notes).toBe('Depends on: the new API');
  expect(stories[4]?.notes).toBe('');
});

test('what means no story holds nothing back, and is a warning', () => {
  const { document, problems } = loadText('prd-json', '[{"id":"A","title":"a","passes":false,"dependsOn":["X"]}]');
  expect(document?.backlog.stories[0]?.dependsOn).toEqual([]);
  expect(problems).toMatchObject([{ severity: 'warning', rule: 'schema/unknown-dependency', story: 'A' }]);
});

describe('no list of stories is', () => {
  test.each([
    [
      'requirements without flags',
      { requirements: { functional: { a: [{ id: 1, title: 'x' }], b: [{ id: 2, title: 'y' }] } } },
      '1 entry under requirements.functional.a has no done flag',
    ],
    ['plain texts', { tasks: ['one', 'two'] }, '2 entries under tasks are plain text'],
    [
      'people and risks',
      { personas: [{ id: 'P', name: 'p', status: 'active' }] },
      '1 entry under personas has a status',
    ],
    ['criteria', { mvpCriteria: [{ text: 't', passes: true }] }, '1 entry under mvpCriteria has a status'],
  ])('%s', (_name, value, message) => {
    const { document, problems } = loadText('prd-json', JSON.stringify(value));
    expect(document).toBeNull();
    expect(problems[0]?.message).toContain(message);
  });
});

test('an id that comes again in another phase has the phase in front', () => {
  const task = { id: 'login', title: 'Log in', done: false };
  expect(
    summary({
      phases: [
        { name: 'One', tasks: [task] },
        { name: 'Two!', tasks: [task, task] },
      ],
    }),
  ).toEqual(['login', 'two.login', 'two.login-2']);
});

test('what was called off is blocked with the words of the file, and free again when a person says so', () => {
  const text =
    '{"tasks":[{"id":"A","title":"a","status":"Cancelled"},{"id":"B","title":"b","status":"Done"},{"id":"C","title":"c","status":"Pending","blocked":true,"blockedReason":"no key"}]}';
  const document = documentOf('prd-json', text);
  expect(document.backlog.stories).toMatchObject([
    { passes: false, blocked: 'the backlog says: Cancelled' },
    { passes: true },
    { passes: false, blocked: 'no key' },
  ]);
  const free = editBacklog(
    document,
    ['A', 'C'].map((id) => ({ kind: 'set', id, fields: { blocked: null } }) as const),
  );
  expect(free.text).toBe(
    '{"tasks":[{"id":"A","title":"a","status":"Pending"},{"id":"B","title":"b","status":"Done"},{"id":"C","title":"c","status":"Pending","blocked":false}]}',
  );
  expect(free.backlog.stories.map(({ blocked }) => blocked)).toEqual([undefined, undefined, undefined]);
});

test('criteria are read from every form, and what is verified otherwise is one', () => {
  const criteria = (fields: object) => read([{ id: 'A', title: 'a', passes: false, ...fields }]).stories[0];
  expect(
    criteria({ acceptanceCriteria: 'API answers 200, errors are logged, page loads fast' })?.acceptanceCriteria,
  ).toHaveLength(3);
  expect(criteria({ acceptanceCriteria: 'a user, who is new, sees a hint' })?.acceptanceCriteria).toHaveLength(1);
  expect(criteria({ acceptance: { AC1: 'one', speed: 'under 1 s' } })?.acceptanceCriteria).toEqual([
    'one',
    'speed: under 1 s',
  ]);
  expect(
    criteria(
      JSON.parse('{"acceptance":[{"given":"a cart","when":"it is paid","then":["it empties","a mail goes out"]}]}'),
    )?.acceptanceCriteria,
  ).toEqual(['Given a cart, when it is paid, then it empties and a mail goes out']);
  expect(
    criteria({ steps: ['do x'], acceptanceCriteria: ['x works'], verification: 'look at it', testCommand: 'npm test' }),
  ).toMatchObject({
    description: 'Steps:\n- do x',
    acceptanceCriteria: ['x works', 'look at it'],
    verifyCommands: ['npm test'],
  });
});

test('what was put together from several keys is never written back into one of them', () => {
  const text =
    '[{"id":"A","title":"a","passes":false,"description":"d","steps":["s"],"acceptanceCriteria":["c"],"verify":"look"}]';
  const after = editBacklog(documentOf('prd-json', text), [
    { kind: 'set', id: 'A', fields: { description: 'new', acceptanceCriteria: ['c', 'look', 'more'] } },
  ]);
  expect(after.text).toBe(text);
  expect(after.backlog.stories[0]).toMatchObject({ description: 'new', acceptanceCriteria: ['c', 'look', 'more'] });
});
