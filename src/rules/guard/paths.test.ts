import { describe, expect, it } from 'vitest';
import { guardContext } from '../../../test/support/guard-context.ts';
import { holdsProtected, mayWrite, pathOf, placeOf, placeOfWord } from './paths.ts';
import { wordOf } from './words.ts';

const context = guardContext();

describe('the place of a path', () => {
  it.each([
    ['.', 'root-itself'],
    ['*', 'root-itself'],
    ['./*', 'root-itself'],
    ['.[!.]*', 'root-itself'],
    ['src', 'inside'],
    ['*.js', 'inside'],
    ['src/\uFFFD', 'inside'],
    ['.git', 'git-dir'],
    ['.git/config', 'git-dir'],
    ['.g*', 'git-dir'],
    ['.ralph-active', 'protected'],
    ['.ralph-a*', 'protected'],
    ['.cl?ude/settings.json', 'protected'],
    ['/tmp', 'temp-itself'],
    ['/tmp/x', 'temp'],
    ['/dev/null', 'temp'],
    ['/dev/shm/x', 'temp'],
    ['/tmp/../etc', 'system'],
    ['/home/dev', 'home-itself'],
    ['/home/dev/*', 'home-itself'],
    ['/home/d*', 'home-itself'],
    ['/home/dev/.ssh', 'home'],
    ['/', 'system'],
    ['/*', 'system'],
    ['/home', 'system'],
    ['/etc/passwd', 'system'],
    ['/e?c/passwd', 'system'],
    ['/\uFFFD', 'system'],
    ['/dev/sda', 'system'],
    ['..', 'outside'],
    ['../other', 'outside'],
    ['src/../../other', 'outside'],
    ['/data/x', 'outside'],
    ['\uFFFD/x', 'unknown'],
  ])('%s is %s', (text, expected) => {
    expect(placeOfWord(wordOf(text, true), { cwd: '/projects/app' }, context)).toBe(expected);
  });

  it('is the work tree before it is temp, and its parents are neither', () => {
    const inTemp = guardContext({ root: '/tmp/a/app', cwd: '/tmp/a/app' });
    expect(placeOf('/tmp/a/app/src', inTemp)).toBe('inside');
    expect(placeOf('/tmp/a', inTemp)).toBe('outside');
    expect(placeOf('/tmp/b', inTemp)).toBe('temp');
  });

  it('is unknown behind an unknown folder', () => {
    expect(pathOf(wordOf('x'), { cwd: null }, context)).toBeNull();
    expect(placeOf(null, context)).toBe('unknown');
  });

  it('tells where an agent may write', () => {
    expect(['inside', 'temp', 'root-itself', 'home'].map((place) => mayWrite(place as never))).toEqual([
      true,
      true,
      true,
      false,
    ]);
  });

  it('knows folders that hold protected files', () => {
    const holds = (text: string) => holdsProtected(wordOf(text, true), { cwd: '/projects/app' }, context);
    expect(['.claude', '.c*', 'src', '/projects/app/.claude', '..'].map(holds)).toEqual([
      true,
      true,
      false,
      true,
      false,
    ]);
  });
});
