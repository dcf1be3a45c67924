import { expect, test } from 'vitest';
import type { SaidFinding } from '../../contracts/index.ts';
import { documentOf, loadText, describe as problemsOf } from './document.fixture.ts';
import { editBacklog } from './document.ts';
import { isCheckCommand, isCommandLine } from './formats/check-command.ts';
import { repairJson } from './formats/json-repair.ts';
import { judged } from './judged.fixture.ts';
import { isSameFinding } from './reviews/findings.ts';
import { aStory } from './story.fixture.ts';

/** Small differences that mutation testing showed nobody had looked at: docs/testing.md. */

const prd = (value: unknown) => documentOf('prd-json', JSON.stringify(value));
const titles = (value: unknown) => prd(value).backlog.stories.map(({ title, passes }) => `${title}: ${passes}`);
const task = (more: object) =>
  JSON.stringify({
    ...{ project: 'p', branchName: 'ralph/p' },
    userStories: [{ id: 'US-001', title: 't', acceptanceCriteria: ['a'], priority: 1, passes: false, ...more }],
  });

test('a command is one with room around it, and none when it is empty', () => {
  expect(isCheckCommand('npm test  2>&1')).toBe(true);
  expect(isCommandLine('  ./check.sh  ')).toBe(true);
  expect([isCheckCommand(''), isCommandLine(''), isCommandLine(' ')]).toEqual([false, false, false]);
});

test('numbers as people write them are fixed', () => {
  expect(repairJson('[+1, .5, 5., +.5, -.25, 1.50]')?.text).toBe('[1, 0.5, 5, 0.5, -0.25, 1.50]');
});

test('a plural is the same word, a short word is not cut', () => {
  const about = (claim: string): SaidFinding => ({ claim, file: null, criterion: null });
  const tests = about('the tests of a bus are slow here today');
  expect(isSameFinding(tests, about('the test of a bus is slow here today'))).toBe(true);
  expect(isSameFinding(tests, about('the tests of a bu are slow here today'))).toBe(false);
});

test('two long findings about different things are two', () => {
  const about = (claim: string): SaidFinding => ({ claim, file: null, criterion: null });
  const one = about('the login page crashes when the password field is empty');
  expect(isSameFinding(one, about('the settings dialog loses typed numbers after closing it'))).toBe(false);
  expect(isSameFinding(one, about('The login page crashes when the password fields are empty.'))).toBe(true);
});

test('reviews that are a list are told as what they are', () => {
  expect(problemsOf(loadText('markdown', '# P\n\n- [ ] a\n', '[]'))).toBe(
    'ralph/reviews.json:1: error schema/type: the file must contain an object → Restore the file from git, or delete it.',
  );
});

test('beside a list of stories, lists of what is completed are no board', () => {
  const [a, b, c] = [[{ title: 'a' }], [{ title: 'b' }], [{ title: 'c' }]];
  expect(titles({ tasks: a, completedTasks: b, completedFeatures: c })).toEqual(['a: false', 'b: true']);
  expect(titles({ todo: a, done: b })).toEqual(['a: false', 'b: true']);
  expect(titles({ board: { todo: a, done: b } })).toEqual(['a: false', 'b: true']);
});

test('what only describes the document holds no stories', () => {
  const list = (title: string) => ({ stories: [{ id: title, title, passes: false }] });
  expect(titles({ v1: list('x'), metadata: list('m') })).toEqual(['x: false']);
});

test('the columns of a board may be a list', () => {
  const columns = [
    { name: 'Done', cards: [{ title: 'a' }] },
    { name: 'Todo', cards: [{ title: 'b' }] },
  ];
  expect(titles({ columns })).toEqual(['a: true', 'b: false']);
});

test('a story without a flag gets the kind of flag that the others have', () => {
  const document = prd({
    stories: [
      { id: 1, title: 'a', done: 1 },
      { id: 2, title: 'b', done: null },
      { id: 3, title: 'c' },
    ],
  });
  const text = editBacklog(document, [
    { kind: 'set', id: '2', fields: { passes: true } },
    { kind: 'set', id: '3', fields: { passes: true } },
    { kind: 'add', story: { id: '4', title: 'd', acceptanceCriteria: ['x'] } },
  ]).text;
  expect(JSON.parse(text).stories).toEqual([
    { id: 1, title: 'a', done: 1 },
    { id: 2, title: 'b', done: 1 },
    { id: 3, title: 'c', done: 1 },
    { id: 4, title: 'd', acceptanceCriteria: ['x'], done: 0 },
  ]);
});

test('nothing, none and an empty text are no dependencies', () => {
  const stories = [
    { id: 'a', title: 'x', dependsOn: 'none' },
    { id: 'b', title: 'y', dependsOn: ['', 'a'] },
    { id: 'c', title: 'z', dependsOn: 'nobody' },
  ];
  const loaded = loadText('prd-json', JSON.stringify({ stories }));
  expect(loaded.document?.backlog.stories.map(({ dependsOn }) => dependsOn)).toEqual([[], ['a'], []]);
  expect(problemsOf(loaded)).toMatch(
    /schema\/unknown-dependency: c: depends on nobody, .* → Use the id of that story; until then this dependency is ignored\.$/,
  );
});

test('a cycle is named without the way to it', () => {
  const waits = (id: string, on: string) => ({ id, title: id, dependsOn: [on] });
  const text = JSON.stringify({ stories: [waits('a', 'b'), waits('b', 'c'), waits('c', 'b')] });
  expect(problemsOf(loadText('prd-json', text))).toContain('stories wait for each other: b → c → b →');
});

test('criteria in one text lose their numbers, long ones too', () => {
  const [story] = prd({ stories: [{ title: 'A', acceptanceCriteria: '1. one two\n12. three four\n- [ ] five' }] })
    .backlog.stories;
  expect(story?.acceptanceCriteria).toEqual(['one two', 'three four', 'five']);
});

test('an id that is an object with a will of its own is no name', () => {
  expect(titles({ stories: [{ id: [{ toString: '' }], title: 'a', done: false }], completedStories: [] })).toEqual([
    'a: false',
  ]);
});

test('a key that stands twice is told', () => {
  const text = '{\n"stories": [\n{"id": "a", "title": "x", "passes": false, "title": "y"}\n]\n}';
  expect(problemsOf(loadText('prd-json', text))).toMatch(/^ralph\/prd\.json:3: warning schema\/repeated-key: /);
});

test('optional fields of a native story count only with something in them', () => {
  const of = (more: object) => documentOf('tasks-json', task(more)).backlog.stories[0];
  expect(of({ blocked: '' })).not.toHaveProperty('blocked');
  expect(of({ blocked: 'no key' })).toHaveProperty('blocked', 'no key');
  expect(of({ verifyCommands: ['npm test'] })).toHaveProperty('verifyCommands', ['npm test']);
  expect(of({})).not.toHaveProperty('verifyCommands');
});

test('only a version that is a number can be too new', () => {
  const text = (version: unknown) => JSON.stringify({ ...JSON.parse(task({})), version });
  expect(problemsOf(loadText('tasks-json', text(9)))).toContain('schema/version: the file has version 9');
  expect(problemsOf(loadText('tasks-json', text('9')))).not.toContain('schema/version: the file has version');
});

test('approving oneself is that, and no wrong status besides', () => {
  const story = aStory('A');
  const { violations } = judged({ before: [story], after: [{ ...story, passes: true, reviewStatus: 'approved' }] });
  expect(new Set(violations.map(({ rule }) => rule))).toEqual(new Set(['transition/self-approval']));
});
