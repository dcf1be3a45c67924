import { describe, expect, it } from 'vitest';
import { guardContext } from './context.fixture.ts';
import { explainCommand, judgeCommand } from './judge-command.ts';

function judge(command: string, allow: readonly string[] = [], deny: readonly string[] = []) {
  return judgeCommand(command, guardContext({ user: { allow, deny } }));
}

describe('judgeCommand', () => {
  it('allows what breaks no rule', () => {
    expect(judge('npm test')).toEqual({
      decision: 'allow',
      rule: null,
      reason: '',
      alternative: '',
      evidence: '',
      unresolved: [],
    });
  });

  it('names the rule, the reason, what to do instead, and the part that is meant', () => {
    const { decision, rule, reason, alternative, evidence } = judge('npm test && sudo rm -rf ~');
    expect({ decision, evidence }).toEqual({ decision: 'block', evidence: 'sudo rm -rf ~' });
    expect([rule, reason, alternative].every((text) => text !== null && text.length > 5)).toBe(true);
  });

  it('notes what it could not resolve', () => {
    expect(judge('eval "$CODE"')).toMatchObject({ decision: 'allow', unresolved: ['eval: eval "$CODE"'] });
  });

  it('blocks broken shell only when it looks destructive', () => {
    expect(judge("echo 'no end")).toMatchObject({ decision: 'allow', rule: null });
    expect(judge("rm -rf 'build")).toMatchObject({ decision: 'block' });
    expect(judge("case x in wipefs) '")).toMatchObject({ decision: 'block', rule: 'shell/unparsable' });
  });

  it('blocks what is too long only when it looks destructive', () => {
    const padding = 'true\n'.repeat(40_000);
    expect(judge(padding)).toMatchObject({ decision: 'allow' });
    expect(judge(`${padding}rm -rf ~`)).toMatchObject({ decision: 'block', rule: 'shell/too-long' });
  });

  it('lets the user forbid more, and forbidding wins over allowing', () => {
    expect(judge('npm install left-pad', [], ['npm install*'])).toMatchObject({ decision: 'block', rule: 'user/deny' });
    expect(judge('sudo npm install x', [], ['npm install*'])).toMatchObject({ decision: 'block' });
    expect(judge('npm install x', ['npm *'], ['npm install*'])).toMatchObject({ rule: 'user/deny' });
  });

  it('lets the user allow a command, or switch a rule off by its id', () => {
    const { rule } = judge('git push origin main');
    expect(rule).not.toBeNull();
    expect(judge('git push origin main', [rule ?? ''])).toMatchObject({ decision: 'allow' });
    expect(judge('git push origin main', ['git push origin *'])).toMatchObject({ decision: 'allow' });
    expect(judge('git push origin main; rm -rf ~', ['git push*'])).toMatchObject({ decision: 'block' });
  });
});

describe('a fault', () => {
  const faulty = guardContext({
    isProtected: () => {
      throw new Error('no such table');
    },
  });

  it('in a rule leaves the other rules at work, and is noted', () => {
    expect(judgeCommand('cp a b', faulty)).toMatchObject({
      decision: 'allow',
      unresolved: expect.arrayContaining([expect.stringMatching(/^tampering\/protected-file: no such table$/)]),
    });
    expect(judgeCommand('cp a b; rm -rf ~; git push', faulty).rule).toBe('git-remote/push');
  });

  it('in a part of the text leaves the other commands to be judged', () => {
    const deep = `echo $((${'1+'.repeat(15_000)}1))`;
    expect(judge(`${deep}; git push`)).toMatchObject({ decision: 'block', rule: 'git-remote/push' });
    expect(judge(`git push; ${deep}`)).toMatchObject({ decision: 'block', rule: 'git-remote/push' });
  });
});

describe('explainCommand', () => {
  it('lists what was understood', () => {
    const { commands, judgement } = explainCommand('cd src && sh -c "ls $X"', guardContext());
    expect(judgement.decision).toBe('allow');
    expect(commands.at(-1)).toEqual({
      source: 'ls �',
      name: 'ls',
      args: ['�'],
      via: ['sh -c'],
      cwd: '/projects/app/src',
      known: false,
    });
  });
});
