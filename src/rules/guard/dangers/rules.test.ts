import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { guardContext } from '../../../../test/support/guard-context.ts';
import type { GuardContext, GuardProfile } from '../api.ts';
import { judgeCommand } from '../judge-command.ts';
import { categories } from './index.ts';

const PROTECTED =
  /^(\.git|\.ralph-active|\.ralph\/(config\.json|\.gitignore|status\.json|state|runs)|\.claude\/settings(\.local)?\.json|ralph\/prd\.md)(\/|$)/;

function contextOf(profile: GuardProfile): GuardContext {
  return guardContext({ profile, isProtected: (path) => PROTECTED.test(path) });
}

interface Example {
  readonly cmd: string;
  readonly label: 'block' | 'allow';
  /** The id of the rule that it is an example of. */
  readonly category: string;
}

const examples: readonly Example[] = readFileSync(new URL('examples.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line));

function examplesOf(rule: string, label: Example['label']): readonly string[] {
  return examples.filter((example) => example.category === rule && example.label === label).map(({ cmd }) => cmd);
}

const rules = categories.flatMap(({ rules: ofKind }) =>
  Object.entries(ofKind).map(([id, rule]) => ({ id, rule, kind: Object.keys(ofKind)[0]?.split('/')[0] })),
);

describe('the rules of the guard', () => {
  it('cover eighteen kinds of danger and more, each with a name of its own', () => {
    expect(categories.length).toBeGreaterThanOrEqual(18);
    expect(new Set(rules.map(({ kind }) => kind)).size).toBe(categories.length);
    expect(new Set(rules.map(({ id }) => id)).size).toBe(rules.length);
  });

  it.each(rules)('$id explains itself and shows what it means', ({ id, kind, rule }) => {
    expect(id.startsWith(`${kind}/`)).toBe(true);
    expect(rule.reason).toMatch(/^[A-Z].*\.$/);
    expect(rule.alternative).not.toBe('');
    expect(examplesOf(id, 'block').length).toBeGreaterThanOrEqual(3);
    expect(examplesOf(id, 'allow').length).toBeGreaterThanOrEqual(2);
  });
});

describe.each(rules)('$id', ({ id, rule }) => {
  it.each<GuardProfile>(rule.profiles ?? ['run', 'interactive'])('blocks its examples in the profile %s', (profile) => {
    // Another rule may speak first where dangers meet; without those, this one must.
    const others = rules.flatMap((other) => (other.id === id ? [] : [other.id]));
    const alone = { ...contextOf(profile), user: { allow: others, deny: [] } };
    const missed = examplesOf(id, 'block').filter((command) => judgeCommand(command, alone).rule !== id);
    expect(missed).toEqual([]);
  });

  it('lets its near misses through', () => {
    const context = contextOf('run');
    const blocked = examplesOf(id, 'allow')
      .map((command) => ({ command, by: judgeCommand(command, context).rule }))
      .filter(({ by }) => by !== null);
    expect(blocked).toEqual([]);
  });
});

describe('a rule for unattended runs only', () => {
  it.each([
    ['git push origin feature/x', 'git-remote/push'],
    ['git merge feature/x', 'git-local/merge'],
    ['npm publish', 'publication/package'],
    ['echo {} > .claude/settings.json', 'tampering/protected-file'],
  ])('blocks %s in a run and lets a person do it', (command, rule) => {
    expect(judgeCommand(command, contextOf('run')).rule).toBe(rule);
    expect(judgeCommand(command, contextOf('interactive')).decision).toBe('allow');
  });

  it('leaves a force push of a branch of its own to the person, and no other', () => {
    const judge = (command: string) => judgeCommand(command, contextOf('interactive')).decision;
    expect(judge('git push --force-with-lease origin feature/x')).toBe('allow');
    expect(judge('git push --force-with-lease origin main')).toBe('block');
    expect(judge('git push --force')).toBe('block');
  });
});
