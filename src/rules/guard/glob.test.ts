import { describe, expect, it } from 'vitest';
import { couldMatch, couldMatchText } from './glob.ts';

describe('a glob', () => {
  it.each([
    ['*', 'anything', true],
    ['a*c', 'abbc', true],
    ['a*c', 'abb', false],
    ['?b', 'ab', true],
    ['?', '', false],
    ['[a-c]x', 'bx', true],
    ['[!a-c]x', 'bx', false],
    ['[^a]x', 'bx', true],
    ['[', '[', true],
    ['a\uFFFDc', 'abbc', true],
  ])('%s on %s: %s', (glob, name, expected) => {
    expect(couldMatch(glob, name)).toBe(expected);
  });

  it('takes linear-ish time on hostile patterns', () => {
    expect(couldMatch(`${'*a'.repeat(200)}b`, 'a'.repeat(2000))).toBe(false);
  });

  it('has no brackets in texts of commands', () => {
    expect(couldMatchText('[ -f x ]*', '[ -f x ] y')).toBe(true);
  });
});
