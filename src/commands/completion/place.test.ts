import { expect, test } from 'vitest';
import { commands, groups } from '../table.ts';
import { placeAt } from './place.ts';

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
