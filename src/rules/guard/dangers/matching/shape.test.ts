import { describe, expect, it } from 'vitest';
import { guardContext } from '../../../../../test/support/guard-context.ts';
import type { SimpleCommand } from '../../api.ts';
import { wordOf } from '../../words.ts';
import { shapes } from './shape.ts';

/** A simple command out of words without quotes. */
function commandOf(text: string): SimpleCommand {
  const [word = wordOf(''), ...args] = text.split(' ').map((each) => wordOf(each));
  const rest = { assignments: [], redirects: [], pipesTo: null, cwd: '/projects/app', via: [] };
  return { ...rest, name: word.text, word, args, input: { kind: 'inherited' }, source: text };
}

function matches(shape: string, text: string): boolean {
  const command = commandOf(text);
  return shapes(shape)(command, guardContext(), [command]);
}

describe('shapes', () => {
  it('take one of several programs and subcommands, and any further words', () => {
    expect(matches('tool|instrument drop|clear', 'instrument clear everything')).toBe(true);
    expect(matches('tool|instrument drop|clear', 'tool list')).toBe(false);
    expect(matches('tool drop', 'other drop')).toBe(false);
  });

  it('want subcommands first and in order, with options and their values between them', () => {
    expect(matches('tool data drop', 'tool --zone drop data -v drop now')).toBe(true);
    expect(matches('tool data drop', 'tool --zone=eu data drop')).toBe(true);
    expect(matches('tool data drop', 'tool show data drop')).toBe(false);
    expect(matches('tool * drop', 'tool --zone eu data drop')).toBe(true);
  });

  it('want every option that they name, short ones in clusters too, and none that they exclude', () => {
    expect(matches('tool rm -f|--force', 'tool rm -rf x')).toBe(true);
    expect(matches('tool rm -f|--force', 'tool rm --force x')).toBe(true);
    expect(matches('tool rm -f|--force', 'tool rm x')).toBe(false);
    expect(matches('tool rm !--cached', 'tool rm --cached x')).toBe(false);
    expect(matches('tool apply -auto-approve', 'tool apply -auto-approve')).toBe(true);
  });

  it('fill a star with any text', () => {
    expect(matches('tool *:destroy', 'tool apps:destroy x')).toBe(true);
    expect(matches('tool *:destroy', 'tool apps:info x')).toBe(false);
  });

  it('leave help alone, and a rehearsal where the program honours it', () => {
    expect(matches('tool drop', 'tool drop --help')).toBe(false);
    expect(matches('npm publish', 'npm publish --dry-run')).toBe(false);
    expect(matches('npm publish', 'npm publish --dry-run=false')).toBe(true);
    expect(matches('redis-cli flushall', 'redis-cli flushall --dry-run')).toBe(true);
  });

  it("look behind git's own options", () => {
    expect(matches('git branch -C', 'git -C ../x branch')).toBe(false);
    expect(matches('git push', 'git -c a.b=c -C ../x push')).toBe(true);
  });
});
