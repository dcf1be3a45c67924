import { expect, test } from 'vitest';
import { backlogText, freshRepository } from '../../../test/support/command-repository.ts';
import { commands, groups } from '../table.ts';
import { placeAt } from './place.ts';

test('ids of the project, with what they mean', async () => {
  const repo = await freshRepository({ 'ralph/tasks.json': backlogText });
  const { code, out } = await repo.ralph('completion', '--complete', '--', 'stories', 'show', 'US-00');
  expect({ code, out }).toEqual({
    code: 0,
    out: 'US-001\tAdd items\nUS-002\tSum up\nUS-003\tGive change\nUS-004\tPrint a receipt\n',
  });
  expect((await repo.ralph('completion', '--complete', '--', 'run', '--rollback=ne')).out).toBe('--rollback=never\n');
  expect((await repo.ralph('completion', '--complete', '--', 'config', 'set', 'dirty', '')).out).toBe(
    'refuse\nstash\nkeep\n',
  );
});

test('silent where nothing is known', async () => {
  const repo = await freshRepository({ 'ralph/tasks.json': '{ broken' });
  for (const line of [
    ['stories', 'show', ''],
    ['rescue', 'show', ''],
    ['report', ''],
    ['stories', 'waive', 'US-001', ''],
    ['stories', 'show', '-d', '/nowhere', ''],
    [],
  ])
    expect(await repo.ralph('completion', '--complete', '--', ...line)).toMatchObject({ code: 0, err: '' });
});

test('names that a shell would read as more than a word are left out', async () => {
  const hostile = ['$(touch x)', '`touch x`', 'a;b', "a'b", '-rf', '~root', 'a b', 'a\\b', 'a\nb', '\u001b[31mred'];
  const backlog = JSON.parse(backlogText);
  backlog.userStories = [...hostile, 'ok-1'].map((id) => ({ ...backlog.userStories[2], id, title: 'x\ty\u001b[2J' }));
  const repo = await freshRepository({ 'ralph/tasks.json': JSON.stringify(backlog) });
  const { out } = await repo.ralph('completion', '--complete', '--', 'stories', 'show', '');
  expect(['ok-1\tx y\n', '']).toContain(out);
});

test('an unknown shell is refused with the nearest one', async () => {
  const repo = await freshRepository();
  const { code, err } = await repo.ralph('completion', 'bsh');
  expect(code).toBe(2);
  expect(err).toContain("there are no completions for 'bsh'; did you mean bash?");
});

const at = (...words: readonly string[]) => placeAt(words, { commands, groups });
const wordsAt = (...words: readonly string[]) => at(...words).words.map(([word]) => word);

test('at first there are commands and groups', () => {
  expect(wordsAt('')).toEqual(expect.arrayContaining(['run', 'build', 'stories', 'completion']));
  expect(wordsAt('')).not.toContain('list');
  expect(wordsAt('--')).toContain('--version');
});

test('behind a group come its commands, and the flags of its default command', () => {
  expect(wordsAt('stories', '')).toEqual(expect.arrayContaining(['list', 'show', 'waive']));
  expect(wordsAt('stories', '--')).toEqual(expect.arrayContaining(['--json', '--help']));
  expect(wordsAt('help', 'stories', '')).toContain('show');
});

test('flags are those that were not given yet; a repeated one stays, a hidden one is never shown', () => {
  expect(wordsAt('run', '--once', '-')).toContain('--story');
  expect(wordsAt('run', '--once', '-')).not.toContain('--once');
  expect(wordsAt('run', '-')).not.toContain('--no-commit');
  expect(wordsAt('stories', 'add', 'x', '-c', 'y', '-')).toContain('--criterion');
});

test.each([
  [
    ['run', '--rollback', ''],
    ['iteration-end', 'immediate', 'never'],
  ],
  [
    ['run', '--rollback=ne'],
    ['iteration-end', 'immediate', 'never'],
  ],
  [['run', '--story', 'US'], 'story'],
  [['run', '--sandbox', ''], 'backend'],
  [['stories', 'show', ''], 'story'],
  [['stories', 'reset', 'US-001', ''], 'story'],
  [['stories', 'waive', 'US-001', ''], 'finding'],
  [['stories', 'show', 'US-001', ''], null],
  [['config', 'set', 'dirty', ''], 'config-value'],
  [['rescue', 'restore', 'x/1-1', 'src/'], 'file'],
  [['report', '--format', 'md', ''], 'run'],
  [['run', '--once', ''], null],
  [['frobnicate', ''], null],
] as const)('%j is completed by %j', (words, values) => {
  expect(at(...words).values).toEqual(values);
});

test('what stands before the part that is typed is kept', () => {
  expect(at('run', '--rollback=ne')).toMatchObject({ before: '--rollback=', typed: 'ne' });
  expect(at('run', '-a', 'claude,co')).toMatchObject({ before: 'claude,', typed: 'co' });
  expect(at('doctor', '--agent=claude,co')).toMatchObject({ before: '--agent=claude,', typed: 'co' });
});

test('where the project is goes along', () => {
  expect(at('stories', 'show', '-d', '/project', '--prd', '2', '').flags).toEqual({ projectDir: '/project', prd: '2' });
});
