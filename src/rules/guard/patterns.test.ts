import { describe, expect, it } from 'vitest';
import { guardContext } from './context.fixture.ts';
import { matchesPattern, namesRule } from './patterns.ts';
import { resolveCommand } from './shell/resolve.ts';

describe('entries of the configuration', () => {
  it.each([
    ['npm publish*', 'npm publish --tag next', true],
    ['npm publish*', '/usr/bin/npm "publish"', true],
    ['npm publish', 'npm publish --tag next', false],
    ['npm publish*', 'npm run publish', false],
    ['* --force', 'git push --force', true],
    ['[ -f *', '[ -f x ]', true],
  ])('%s on %s: %s', (pattern, text, expected) => {
    const [command] = resolveCommand(text, guardContext()).commands;
    expect(command !== undefined && matchesPattern(pattern, command)).toBe(expected);
  });

  it('name a rule or a category of rules', () => {
    expect(namesRule('git/push', 'git/push')).toBe(true);
    expect(namesRule('git/*', 'git/push')).toBe(true);
    expect(namesRule('git/*', 'github/push')).toBe(false);
    expect(namesRule('git', 'git/push')).toBe(false);
  });
});
