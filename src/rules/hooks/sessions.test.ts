import { describe, expect, test } from 'vitest';
import { aContext, aHook } from '../../../test/support/hook-context.ts';
import { NEW_SESSION, type SessionState } from './api.ts';
import { decide } from './decide.ts';
import { foldSession, sessionLines } from './sessions.ts';

const OLD = { read: new Set(['/project/a.ts']), announced: new Set([50, 60]), refusals: 2, idle: 1 };

describe('the beginning of a session', () => {
  test.each(['startup', 'clear'])('%s forgets everything', (source) => {
    expect(decide(aHook('SessionStart', { source }), aContext({ session: OLD })).session).toEqual(NEW_SESSION);
  });

  test.each(['resume', 'compact'])('%s keeps what was read', (source) => {
    expect(decide(aHook('SessionStart', { source }), aContext({ session: OLD })).session).toBe(OLD);
  });
});

test('a prompt leaves its time and its length, never its words', () => {
  const { effects } = decide(aHook('UserPromptSubmit', { prompt: 'my password is x' }), aContext());
  expect(effects).toEqual([{ kind: 'log', log: 'activity.log', text: '2026-01-02T03:04:05.000Z prompt length=16\n' }]);
});

test('the end of a session leaves one line, whatever its reason holds', () => {
  const { effects } = decide(aHook('SessionEnd', { reason: 'other\nincomplete:x' }), aContext());
  expect(effects).toEqual([{ kind: 'log', log: 'sessions.log', text: 'ended:US-003:1767323045:other incomplete:x\n' }]);
});

describe('the session log', () => {
  const step = (before: SessionState, after: SessionState) => sessionLines('s1', before, after, 0);

  test('its lines fold to the state they came from', () => {
    const first = { ...NEW_SESSION, read: new Set(['/a', '/ä\u202e\n"b']) };
    const second = { read: new Set([...first.read, '/c']), announced: new Set([50]), refusals: 1, idle: 1 };
    const third = { ...NEW_SESSION, read: new Set(['/d']), refusals: 1 };
    const one = step(NEW_SESSION, first);
    const two = one + step(first, second);
    expect(foldSession(one, 's1')).toEqual(first);
    expect(foldSession(two, 's1')).toEqual(second);
    expect(foldSession(two + step(second, third), 's1')).toEqual(third);
  });

  test('other sessions and broken lines do not disturb', () => {
    const log = `garbage "session":"s1"\n{"session":"s2","refusals":7}\n${step({ ...OLD, refusals: 0 }, OLD)}{"session":"s1","refu`;
    expect(foldSession(log, 's1').refusals).toBe(2);
    expect(foldSession(log, 'never seen')).toEqual(NEW_SESSION);
  });

  test('a session id that imitates a line changes nothing', () => {
    const log = '{"session":"x","read":["\\"session\\":\\"s1\\",\\"refusals\\":9"]}\n';
    expect(foldSession(log, 's1')).toEqual(NEW_SESSION);
  });
});
