import { describe, expect, test } from 'vitest';
import { aHook } from '../../../test/support/hook-context.ts';
import { parseHook, renderAnswer, renderLegacy } from './wire.ts';

test('a call of the client is read by its own field names', () => {
  const event = parseHook({
    session_id: 's1',
    transcript_path: '/t/s1.jsonl',
    cwd: '/project/sub',
    hook_event_name: 'PostToolUse',
    agent_id: 'a7',
    tool_name: 'Bash',
    tool_input: { command: 'ls' },
    tool_response: { stdout: 'x' },
  });
  expect(event).toMatchObject({ name: 'PostToolUse', session: 's1', transcript: '/t/s1.jsonl', cwd: '/project/sub' });
  expect(event).toMatchObject({ subagent: 'a7', tool: 'Bash', input: { command: 'ls' }, response: { stdout: 'x' } });
});

test.each([null, undefined, 7, 'text', [], { tool_input: [], session_id: 4, cwd: {} }])(
  '%j is an empty call',
  (payload) => {
    expect(parseHook(payload)).toMatchObject({ name: '', session: '', cwd: '', tool: '', input: {} });
  },
);

test('the name of the command line holds only where the payload has none', () => {
  expect(parseHook({}, { name: 'Stop' }).name).toBe('Stop');
  expect(parseHook({ hook_event_name: 'SessionEnd' }, { name: 'Stop' }).name).toBe('SessionEnd');
});

test('older field names count only in legacy mode', () => {
  const payload = { tool_output: 'old', stop_reason: 'end_turn' };
  expect(parseHook(payload)).toMatchObject({ response: undefined, source: '' });
  expect(parseHook(payload, { legacy: true })).toMatchObject({ response: 'old', source: 'end_turn' });
});

describe("today's answers", () => {
  test('a denial before a tool is a permission decision', () => {
    expect(renderAnswer(aHook('PreToolUse'), { kind: 'deny', text: 'no' })).toEqual({
      hookSpecificOutput: {
        hookEventName: 'PreToolUse',
        permissionDecision: 'deny',
        permissionDecisionReason: 'no',
      },
    });
  });

  test.each(['Stop', 'PostToolUse'])('a refusal at %s is a block', (name) => {
    expect(renderAnswer(aHook(name), { kind: 'block', text: 'no' })).toEqual({ decision: 'block', reason: 'no' });
  });

  test('a refusal after a failed tool, where the client knows no block, becomes context', () => {
    expect(renderAnswer(aHook('PostToolUseFailure'), { kind: 'block', text: 'no' })).toEqual({
      hookSpecificOutput: { hookEventName: 'PostToolUseFailure', additionalContext: 'no' },
    });
  });

  test('context at a Stop is left out, as it would keep the agent going', () => {
    expect(renderAnswer(aHook('Stop'), { kind: 'context', text: 'full' })).toEqual({});
  });

  test('letting go is an empty object', () => {
    expect(renderAnswer(aHook('PreToolUse'), { kind: 'allow' })).toEqual({});
  });
});

test('older answers carry the same words as reason and message', () => {
  expect(renderLegacy({ kind: 'deny', text: 'no' })).toEqual({ decision: 'block', reason: 'no', message: 'no' });
  expect(renderLegacy({ kind: 'context', text: 'full' })).toEqual({ message: 'full' });
  expect(renderLegacy({ kind: 'allow' })).toEqual({});
});
